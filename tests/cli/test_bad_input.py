"""Whatever is typed wrongly is one line that says what to do, and exit code 2."""

from pathlib import Path

import pytest

from tests.cli.typed import EXAMPLE, run

PLAYERS = "tests.rollout.players"
RACE = f"race --env {PLAYERS}:draw --policy a={PLAYERS}:make_low --policy b={PLAYERS}:make_high"


@pytest.mark.parametrize(
    ("command", "said"),
    [
        ("analyze missing.csv", "there is no such file or folder"),
        ("analyze", "give either FILES or --policy NAME=FILE for each policy [see]"),
        ("analyze {two} --bounds few", "--bounds must be given as \"LOW,HIGH\", but got 'few'"),
        ("analyze {two} --method magic", "--method must be one of"),
        ("analyze {two} --column policy", "expected ROLE=NAME, but got 'policy' [see]"),
        ("analyze {two} --html {folder}/x.pdf", "--html writes a web page, so its name must end"),
        ("analyze {two} --html none/x.html", "none/x.html: No such file or directory"),
        ("analyze {two} --html {folder}", ": Is a directory"),
        ("analyze {two} --figures {two}/below", "two.csv/below: Not a directory"),
        ("analyze {two} --figures out:wide", "the width behind ':' must be inches, as in out:7.2"),
        ("analyze {two} --score x", "there is no column 'x' for the score"),
        ("analyze {two} --n-max abc", "--n-max must be a whole number, but got 'abc' [see]"),
        ("analyze {two} --n-max 0", "--n-max must be a whole number from 1 to 10000000"),
        ("analyze {two} --alpha=x", "--alpha must be a number, but got 'x' [see]"),
        ("analyze {two} --method step", "step needs --n-max, the most trials per policy"),
        ("analyze {two} --bins 3", "--bins is for --method nscore, not for nscore-plus"),
        ("analyze {two} --goal best --ties paper", "--ties belongs to the goal 'order'"),
        ("analyze {two} --goal best --equivalence 0.1", "does not go with --goal best"),
        ("analyze {new}", "new.csv: there are no trials in it"),
        ("analyze {two} --tasks each", "--tasks must be mean, independent or random (each"),
        ("analyze {two} --tasks mean:lift=two", "expected --tasks mean: TASK=WEIGHT,..."),
        ("analyze {one}", "add a file of another policy, or name the column of policies with"),
        ("analyze {two} --list-size 2", "the list has 2: declare --list-size 3 if these are all"),
        ("analyze {gap}", "; --missing drop leaves such trials out"),
        ("analyze {two} --nonsense 1", "No such option: --nonsense [see]"),
        ("watch {gap} --once", "; --missing drop leaves such trials out"),
        ("watch nowhere --once", "there is no such file or folder"),
        ("compare 21/20 1/2", "21/20 must be successes/trials"),
        ("compare 17/20 14/20 --bounds 0,5", "--bounds has no effect on counts"),
        ("compare 17/20 {two}", "17/20: there is no such file or folder"),
        ("compare 0.85 0.7", "give successes and trials, as in `stopwise compare 17/20 14/20`"),
        ("compare 17 20 14 20", "give it as in `stopwise compare 17/20 14/20` [see]"),
        ("compare {two} --bounds 0,1", "if each row is one trial, use `stopwise analyze"),
        ("compare {two} {two}", "names must be two that differ"),
        ("compare {one} {two}", "to rank all policies of a file, use `stopwise analyze FILE`"),
        ("compare 45/50", "45/50 is one policy: give the other too, or --reference [see]"),
        ("compare 45/50 40/50 --reference .8", "40/50 has no place in that"),
        ("compare 45/50 --reference 1.2", "reference must lie strictly between 0 and 1"),
        ("gate b --baseline a --results {two}", "--margin says how much worse is still acceptable"),
        ("gate b --baseline a --results {two} --margin -0.05", "give a positive number"),
        ("gate b --baseline a --results {two} --margin .1 --summary no/x", "no/x: No such file or"),
        (
            "gate 17/20 --baseline 14/20 --margin .1",
            "two counts are `stopwise compare 17/20 14/20`",
        ),
        (f"gate huge --baseline base --results {EXAMPLE} --margin .1", "nor one of the policies"),
        ("plan 0.5 0.5", "nothing to plan"),
        ("plan 50 70 --bounds 0,100", "give MEAN+-SD, as in 50+-20"),
        ("plan half%", "a guess must look like"),
        ("plan 5+-2 7+-2 --bounds 0,10 --margin 5%", "give it in units of the score"),
        ("analyze {two} --bounds 0,100 --reference 50%", "give it in units of the score [see]"),
        ("gate b --baseline a --margin 5% --bounds 0,100", "give it in units of the score [see]"),
        ("gate b --baseline a --results {two} --margin 5", "less than 1, the width of the bounds,"),
        ("plan .5 .6 --n-max many", "--n-max must be whole numbers like 50,100, but got 'many'"),
        ("plan .5 .6 --pilot a.csv", "give guesses or --pilot, but not both"),
        ("plan .5 .6 --futility .1", "the word: --futility advisory:0.1"),
        ("plan .5 .7 --n-max 9 --budget 9", "give either --n-max or --budget, not both"),
        ("plan 0.5 --column policy=arm", "--column has no effect without --pilot"),
        ("forecast nothing.csv", "a file needs --n-max"),
        ("forecast study.db --alpha 0.05", "--alpha has no effect on a study"),
        (f"race --env {PLAYERS}:draw", "give either --policy NAME=package.module:factory for each"),
        (f"{RACE} --policy a=x:y", "'a' is given twice"),
        ("race --env m:e --policy a=m:a", "but got 1; give --policy once for each of them"),
        ("race --env m:e --checkpoints x", "x: checkpoints need --load"),
        (f"{RACE} --workers 2", "--workers needs --executor processes or ray"),
        (f"{RACE} --executor processes --num-gpus 1", "--num-gpus needs --executor ray, not proc"),
        (f"{RACE} --executor serial:auto", "only ray has an address, not serial"),
        (f"{RACE} --bounds x=0,1", "bounds must be given as \"LOW,HIGH\", but got 'x=0,1'"),
        (f"{RACE} --journal {{one}}", "not a race journal"),
        ("study status {one}", "one.csv is not a study: a study is a folder, made with"),
        ("study status {folder}", "there is no study"),
        ("study serve --port 70000", "--port must be a whole number from 0 to 65535, but [see]"),
        ("study serve {folder} --key x", "--certificate and --key belong together"),
        ("study void . first", "TRIAL must be a whole number, but got 'first' [see]"),
        ("study nonsense", "No such command 'nonsense'"),
        ("demo --report /nonexistent/x.html", "/nonexistent/x.html: No such file or directory"),
    ],
)
def test_it_is_one_line(command: str, said: str, tmp_path: Path) -> None:
    tables = {"one": "a,1\n" * 3, "two": "a,1\n" * 3 + "b,1\n" * 3, "gap": "a,0\nb,\nb,1\n"}
    tables["new"] = ""
    places = {name: tmp_path / f"{name}.csv" for name in tables}
    for name, rows in tables.items():
        places[name].write_text("policy,score\n" + rows)
    words = command.format(**places, folder=tmp_path).split()
    code, output = run(*words)
    name = " ".join(words[: 2 if words[0] == "study" else 1])
    said, see, _ = said.partition(" [see]")

    assert code == 2, output
    *before, line = output.splitlines()
    assert line.startswith(f"stopwise {name}: " if name != "study nonsense" else "stopwise study: ")
    assert said in line
    assert not see or line.endswith(f"; see `stopwise {name} --help`")
    assert all("every finished episode is in" in one for one in before)
