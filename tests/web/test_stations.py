"""A station belongs to the token that took its trial."""

import httpx

import stopwise as sw


def test_nobody_else_reports_on_a_trial(
    study: sw.Study, client: httpx.Client, headers: dict[str, dict[str, str]]
) -> None:
    body = {"station": "arm 1"}
    client.post("/api/trials/next", json=body, headers=headers["operator"])
    before = study.seq
    reports = {
        "score": {**body, "answer": []},
        "start": body,
        "release": {**body, "reason": "mine now"},
    }
    for who in ("other", "owner"):
        for act, sent in reports.items():
            answer = client.post(f"/api/trials/1/{act}", json=sent, headers=headers[who])
            assert answer.status_code == 409
            assert answer.json()["detail"] == "trial 1 was taken by someone else"
        for asked in ("held", "1/whereabouts"):
            url = f"/api/trials/{asked}?station=arm 1"
            assert client.get(url, headers=headers[who]).status_code == 409
    assert study.seq == before


def test_a_runner_does_not_begin_a_trial_by_itself(
    study: sw.Study, client: httpx.Client, headers: dict[str, dict[str, str]]
) -> None:
    """It knows whose trial it is, and one that has begun is the worst when it is given back."""
    body = {"station": "arm 1"}
    client.post("/api/trials/next", json=body, headers=headers["operator"])
    before = study.seq
    refused = client.post("/api/trials/1/start", json=body, headers=headers["runner"])
    assert refused.status_code == 409
    assert refused.json()["detail"] == "trial 1 has not been started by its operator yet"
    assert study.seq == before
    for who in ("operator", "runner"):  # which says that the trial still runs
        assert client.post("/api/trials/1/start", json=body, headers=headers[who]).is_success
    assert study.seq == before + 2


def test_only_owners_see_the_codes_of_others(
    client: httpx.Client, headers: dict[str, dict[str, str]]
) -> None:
    taken = client.post("/api/trials/next", json={"station": "a"}, headers=headers["operator"])
    code = taken.json()["trial"]["code"]
    for who, sees in {"operator": True, "owner": True, "other": False, "viewer": False}.items():
        (station,) = client.get("/api/status", headers=headers[who]).json()["stations"]
        assert station["code"] == (code if sees else None), who
