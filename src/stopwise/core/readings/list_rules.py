"""What a fixed list of scenes may be declared with."""

from typing import TYPE_CHECKING, Any

from stopwise.core.scores import require_whole
from stopwise.errors import require
from stopwise.messages import Setting, named

if TYPE_CHECKING:
    from stopwise.core.rules import Rules


def declared_list(rules: "Rules") -> dict[str, Any]:
    """The size of the list, and the most trials: all of it unless less was declared."""
    if rules.list_size is None:
        return {}
    size = require_whole(rules.list_size, "list_size", 1)
    require(
        rules.method == "nscore-plus",
        f"list_size={size} goes with nscore-plus: {rules.method} is not proven without replacement",
        parameter="list_size",
    )
    require(
        rules.proxy_mean is None,
        "scenes of a fixed list are drawn without replacement, and a proxy is not proven for that: "
        "leave out list_size, or the proxy",
        parameter="list_size",
    )
    require(
        not rules.groups,
        "each scene of a fixed list is tried once by each policy: list_size does not go with "
        "policies that have more trials than others",
        parameter="list_size",
    )
    n_max = size if rules.n_max is None else rules.n_max
    require(
        n_max <= size,
        named("n_max"),
        f" = {n_max} is more than the {size} scenes of the list: each is tried once; leave it out, "
        "or declare ",
        Setting("list_size", n_max),
    )
    return {"list_size": size, "n_max": n_max}
