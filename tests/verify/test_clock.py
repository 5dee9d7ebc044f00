"""One clock for all that a program asks for the time: no two runs read another minute."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from tests.support.verifying import Bench, Judged
from torchfix_codemods.verify.verdicts import Verdict

HEAD = "import calendar, datetime, logging, sys, time\nfrom timeit import default_timer\n"

#: A moment of the program's clock, in seconds.
READINGS = {
    "now": "datetime.datetime.now().timestamp()",
    "now of a subclass": "type('Own', (datetime.datetime,), {}).now().timestamp()",
    "now elsewhere": "datetime.datetime.now(tz=datetime.timezone.utc).timestamp()",
    "utcnow": "calendar.timegm(datetime.datetime.utcnow().timetuple())",
    "today": "datetime.datetime.today().timestamp()",
    "date": "time.time() - (datetime.date.fromtimestamp(time.time()) - datetime.date.today()).days",
    "localtime": "time.mktime(time.localtime())",
    "gmtime": "calendar.timegm(time.gmtime(None))",
    "ctime": "time.mktime(time.strptime(time.ctime()))",
    "asctime": "time.mktime(time.strptime(time.asctime()))",
    "strftime": "time.mktime(time.strptime(time.strftime('%Y %j %X'), '%Y %j %X'))",
    "logging": "logging.makeLogRecord({}).created",
    "since logging": "time.time() + min(0, logging.makeLogRecord({}).relativeCreated)",
}

#: Digits of a clock that changes its minute between any two runs.
BOUNDARIES = {
    "now": "print(datetime.datetime.now().microsecond // 7 % 2)",
    "time": "print(time.time_ns() // 7000 % 2)",
    "timer": "print(int(default_timer() * 1e6) // 7 % 2)",
    "logging": "logging.info('done')",
}


@pytest.fixture
def judge(judges: Bench) -> Callable[..., Judged]:
    def judged(text: str, *ways: str) -> Judged:
        before, after = (HEAD + text.replace("@@", way) for way in ways)
        return judges.judge("script", before, after)

    return judged


def test_all_readings_are_of_one_clock(judge: Callable[..., Judged]) -> None:
    lines = "".join(
        f"assert abs({read} - time.time()) < 9, {name!r}\n" for name, read in READINGS.items()
    )
    found = judge(f"{lines}print(@@)\n", "2", "1 + 1")
    assert found.only.verdict is Verdict.EQUIVALENT, found.notes
    assert not found.notes


@pytest.mark.parametrize("name", BOUNDARIES)
def test_a_minute_that_changes_is_no_evidence(judge: Callable[..., Judged], name: str) -> None:
    text = (
        "logging.basicConfig(level=20, stream=sys.stdout, format='%(msecs)d')\n"
        f"def main():\n    x = @@\n    for n in range(40):\n        {BOUNDARIES[name]}\nmain()\n"
    )
    found = judge(text, "2", "1 + 1")
    assert found.only.verdict is Verdict.NOT_OBSERVED
    assert not found.notes


@pytest.mark.parametrize(
    "line",
    [
        "datetime.datetime.now(3)",
        "datetime.datetime.now(zone=None)",
        "time.asctime(None)",
        "time.strftime('%Y', None)",
    ],
)
def test_what_is_no_time_is_refused(judge: Callable[..., Judged], line: str) -> None:
    text = f"try:\n    {line}\nexcept TypeError:\n    print(@@)\n"
    assert judge(text, "2", "1 + 1").only.verdict is Verdict.EQUIVALENT


def test_moments_are_the_ones_that_python_makes(judge: Callable[..., Judged]) -> None:
    text = (
        "import copy, pickle\n"
        "moment = datetime.datetime.now()\n"
        "assert type(moment) is datetime.datetime\n"
        "assert pickle.loads(pickle.dumps(moment)) == moment == copy.deepcopy(moment)\n"
        "assert moment < datetime.datetime.now() and time.ctime(0)[-4:] in ('1970', '1969')\n"
        "print(@@)\n"
    )
    assert judge(text, "2", "1 + 1").only.verdict is Verdict.EQUIVALENT


def test_libraries_have_the_real_clock(judge: Callable[..., Judged]) -> None:
    text = (
        "library = {}\n"
        "exec(compile('import time, datetime\\ndef years():\\n'\n"
        "    '    return time.localtime().tm_year, datetime.datetime.now().year\\n',\n"
        "    '/library.py', 'exec'), library)\n"
        "assert min(library['years']()) > 2020 > time.localtime().tm_year\n"
        "print(@@)\n"
    )
    assert judge(text, "2", "1 + 1").only.verdict is Verdict.EQUIVALENT
