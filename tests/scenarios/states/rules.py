"""What verbs must say of a machine: a rule is a sentence, and yields what is wrong with it.

Rules OF_ANY_MACHINE hold always, OF_EACH_STATE in each row of the table. A row names those that it claims beside them: says("words").
In words of a rule `…` is any path. `status` and `jitwarm` alone end with 0; check, verify and doctor end as docs/exit-codes.md has it.
"""
import functools
import re

END = ("check", "verify", "doctor")
SCOPE = "Everything primed is warm. To check all software here:"  # status speaks of what was primed, the others of all software
NO_PRIME = "nothing was primed here yet|the last prime found nothing"
NO_CODE = "not known what starts compile: no CUDA code was found, and nothing was primed here yet"


class Answer:
    """Of one verb: its text, its exit code, its JSON, and the commands that it names."""

    def __init__(self, text, code, json=None):
        self.text, self.code, self.json = text, code, json or {}
        self.words = " ".join(text.split())
        self.todo = commands(text)
        self.lines = [c.split("   #")[0] for c in self.todo]
        self.next_start = self.json.get("next_start")
        self.findings = self.json.get("findings", [])

    def ids(self, severity=None):
        return [f["id"] for f in self.findings if severity in (None, f["severity"])]

    def says(self, words):
        return pattern(words).search(self.words) is not None


class Answers(dict):
    """Of all verbs, by their names; `said`: what the next start does."""
    __getattr__ = dict.__getitem__

    @property
    def said(self):
        return {v: self[v].next_start for v in ("status", "check", "verify")}

    @property
    def todo(self):
        return [a.todo for a in self.values()]

    def of(self, verbs):
        return [(v, self[v]) for v in verbs or self]


def commands(text):
    return re.findall(r"^ *To do  +(.*)$", text, re.M)


def pattern(words):
    return words if isinstance(words, re.Pattern) else re.compile(re.escape(words).replace("…", r"\S*"))


def named(rule, faults):
    return (f"{rule.__name__.replace('_', ' ')}: {fault}" for fault in faults)


# ---- of any machine, whatever happened to it ----

def the_verbs_have_one_answer(a):
    narrow = SCOPE in a.status.text and SCOPE in a.plain.text and a.status.todo == ["jitwarm prime --check"]
    if {"warm", "compiles"} <= set(a.said.values()) and not narrow:
        yield a.said


def the_exit_code_is_the_answer(a):
    for v in ("check", "verify"):
        if (a[v].code == 0) != (a.said[v] == "warm"):
            yield f"{v} ends with {a[v].code} and says {a.said[v]}"


def doctor_and_check_compile_the_same(a):
    apart = "use another cache" in (a.check.json.get("next_start_why") or "")  # doctor speaks of what this shell starts, and then of a login
    gone = {"import-gone", "cache-evicted"} & set(a.doctor.ids())  # of software that is not found, or of what a command loads
    fails = any(i.startswith("compiler-") for i in a.doctor.ids())  # what is not warm fails
    command = "command-cold" in a.doctor.ids()  # what a recorded command loads is not found, and is said of that command
    cold = any(i.startswith("framework-jit") for i in a.doctor.ids())
    if cold and a.said["check"] == "warm" or not cold and "framework-warm" in a.doctor.ids() and a.said["check"] == "compiles" and not apart and not gone and not fails and not command:
        yield f"doctor says {a.doctor.ids()}, prime --check {a.said['check']}"


def what_is_warm_can_run(a):
    if a.said["check"] == "warm" and "framework-no-kernel" in a.doctor.ids():
        yield "prime --check says warm, and doctor that software does not run"


def doctor_is_not_content_when_what_was_primed_compiles(a):
    if a.said["check"] == "compiles" and a.status.json.get("last_prime") and a.said["status"] != "warm" and not a.doctor.code:
        yield "it ends with 0"


def doctor_is_not_content_when_status_is_not(a):
    asked_again = "state-damaged" in a.doctor.ids()  # doctor, check and verify ask the driver, and know then
    why = a.status.json.get("next_start_why") or ""
    if a.said["status"] != "warm" and not a.doctor.code and not asked_again and not re.match(NO_PRIME, why):
        yield f"status says {why}, and doctor ends with 0"


def where_nothing_is_wrong_nothing_is_to_be_primed(a):
    if "nothing is wrong" in a.doctor.text and any(c.startswith("jitwarm prime") for c in a.doctor.todo):
        yield a.doctor.todo


def what_could_not_be_read_is_said_first(a):
    for v in ("check", "verify"):
        if "could not be read" in "".join(a[v].todo) and "could not be read" not in a[v].text.split("To do")[0]:
            yield f"{v} speaks of it in its last line alone: {a[v].todo}"


def a_proof_that_is_not_enough_says_but(a):
    proof = re.search(r"^verified: .*", a.verify.text, re.M | re.S)
    if proof and a.verify.code and ", but " not in " ".join(proof[0].split()):
        yield f"verify ends with {a.verify.code} and {proof[0]!r}"


def jitwarm_alone_is_status(a):
    if a.status.todo != a.plain.todo:
        yield f"{a.status.todo} {a.plain.todo}"


OF_ANY_MACHINE = (the_verbs_have_one_answer, the_exit_code_is_the_answer, doctor_and_check_compile_the_same, what_is_warm_can_run,
                  doctor_is_not_content_when_what_was_primed_compiles, doctor_is_not_content_when_status_is_not, where_nothing_is_wrong_nothing_is_to_be_primed,
                  what_could_not_be_read_is_said_first, a_proof_that_is_not_enough_says_but, jitwarm_alone_is_status)


# ---- of each state ----

def doctor_says_that_nothing_is_wrong_and_ends_with_0(a):
    if (re.search("nothing (else )?is wrong", a.doctor.words) is not None) != (not a.doctor.code):
        yield f"one of them alone: {a.doctor.code}"


def what_compiles_again_is_needed(a):
    if re.search("next starts compile (it|them) again", a.status.words) and (a.said["status"] == "warm" or "jitwarm prune --gone" in " ".join(a.status.todo)):
        yield f"status says what the next starts compile, and that nothing needs it: {a.status.text}"


def where_all_is_not_warm_each_verb_names_a_command(a):
    for v, one in a.items():
        if a.said["check"] != "warm" and not one.todo:
            yield f"{v} has no To do"


OF_EACH_STATE = (doctor_says_that_nothing_is_wrong_and_ends_with_0, what_compiles_again_is_needed, where_all_is_not_warm_each_verb_names_a_command)


# ---- what a row claims: a rule is called with what it is about, and then with the answers ----

def rule(f):
    @functools.wraps(f)
    def about(*args, **more):
        return functools.wraps(f)(lambda a: f(a, *args, **more))
    return about


@rule
def says(a, words, *verbs):
    """Each of these verbs has these words; all where none is named."""
    for v, one in a.of(verbs):
        if not one.says(words):
            yield f"{v} does not say {words!r}"


@rule
def never_says(a, words, *verbs):
    for v, one in a.of(verbs):
        if one.says(words):
            yield f"{v} says {words!r}"


@rule
def next_start_is(a, what):
    """All that have an answer have this one."""
    if set(a.said.values()) != {what}:
        yield a.said


@rule
def stays_warm(a):
    """It makes no difference."""
    if set(a.said.values()) != {"warm"} or a.doctor.code:
        yield f"{a.said}, and doctor ends with {a.doctor.code}"


@rule
def doctor_is_content(a):
    if a.doctor.code:
        yield f"it ends with {a.doctor.code}"


@rule
def nobody_is_content(a):
    """No verb says warm, and check, verify and doctor fail."""
    if "warm" in a.said.values() or any(a[v].code != 1 for v in END):
        yield f"{a.said} {[(v, a[v].code) for v in END]}"


@rule
def all_name(a, line):
    """Each verb has this one command."""
    if any(todo != [line] for todo in a.todo):
        yield f"not {line!r} alone: {a.todo}"


@rule
def doctor_names(a, line):
    if a.doctor.todo != [line]:
        yield a.doctor.todo


@rule
def each_command_is(a, words, *verbs):
    """What verbs name begins so."""
    for v, one in a.of(verbs):
        if not all(pattern(words).match(c) for c in one.todo):
            yield f"{v} names another one than {words!r}: {one.todo}"


@rule
def no_command_is(a, words):
    if any(pattern(words).search(c) for todo in a.todo for c in todo):
        yield f"{words!r}: {a.todo}"


@rule
def each_verb_names(a, words):
    """All commands of each verb have these words, and each verb has one."""
    if any(not pattern(words).search(c) for todo in a.todo for c in todo or [""]):
        yield f"{words!r}: {a.todo}"


@rule
def one_command_mends_it(a, words, check=1, verify=1, doctor=1):
    """Each verb has one command, which begins so, and the verbs end with these codes."""
    for v, one in a.items():
        if len(one.todo) != 1 or not pattern(words).match(one.todo[0]) or one.code != dict(check=check, verify=verify, doctor=doctor).get(v, one.code):
            yield f"{v} ends with {one.code} and does not name {words!r} alone: {one.todo}"


@rule
def all_verbs_name_the_same(a, line=None):
    """One command is all that any of them has; its remark may differ."""
    lines = {c for one in a.values() for c in one.lines}
    if len(lines) != 1 or line and lines != {line}:
        yield lines


@rule
def all_verbs_name_what_doctor_does(a):
    if any(todo != a.doctor.todo for todo in a.todo):
        yield a.todo


# ---- of software that went, and of packs ----

@rule
def nobody_knows(a):
    """There is no CUDA software: no verb says that nothing is to be done."""
    for v in END:
        if NO_CODE not in a[v].words.replace("Not known", "not known") or "othing to do" in a[v].text:
            yield f"{v} has other words"


@rule
def misses_of_a_pack(a, words):
    """What a pack brought is not all there any more: no verb is content."""
    for v, one in a.items():
        content = re.search("[Nn]othing to do|is nothing to verify|nothing is wrong", one.words) or "warm" in a.said.values() or (v in END and one.code != 1)
        if content or not one.says(words):
            yield f"{v} ends with {one.code} and does not say {words!r}"


@rule
def each_verb_names_the_pack(a):
    for v, one in a.items():
        if not any(c.startswith("jitwarm import") for c in one.todo):
            yield f"{v}: {one.todo}"


@rule
def misses_nothing_of_a_pack(a):
    for v, one in a.items():
        if "imported module" in one.text and "gone from the cache" in one.text:
            yield v


# ---- of what jitwarm remembers ----

@rule
def what_is_remembered_is_lost(a, words):
    """Each verb says which file it is and why, none that nothing was primed, and all have the same way out."""
    for v, one in a.items():
        if not one.says(words) or "nothing was primed here" in one.words or "nothing is wrong" in one.words:
            yield f"{v} does not say {words!r}, or says that nothing was primed, or that nothing is wrong"
        if one.todo != a.status.todo and [c.split(" && ")[0] for c in one.todo] != a.status.todo:
            yield f"{v} has another To do than status: {one.todo} {a.status.todo}"


# ---- of GPUs and variables ----

@rule
def names_the_hidden_gpu(a, *verbs):
    """These verbs name the line that compiles for it, too."""
    if any("sm_90" not in a[v].text for v in ("check", "verify")):
        yield "check or verify does not name it"
    for v in verbs:
        if not a[v].todo or not a[v].todo[-1].startswith("env -u CUDA_VISIBLE_DEVICES jitwarm prime"):
            yield f"{v} does not name the line that compiles for it: {a[v].todo}"


@rule
def a_command_sees_another_gpu(a, where):
    for v in END:
        line = all(c.startswith("export CUDA_VISIBLE_DEVICES=1") for c in a[v].todo)
        if not line or not a[v].says(f"was started with other GPUs than {where} shows: CUDA_VISIBLE_DEVICES=1"):
            yield f"{v} does not say which GPUs, or another line: {a[v].todo}"


@rule
def no_gpu_is_seen_there(a, file):
    """All is warm here, and doctor mends the file."""
    if set(a.said.values()) != {"warm"} or not a.doctor.code or not re.fullmatch(rf"sed -i.bak .*CUDA_VISIBLE_DEVICES=/d' \S+/{re.escape(file)}", a.doctor.todo[-1]):
        yield f"{a.said}, and doctor ends with {a.doctor.code}: {a.doctor.todo}"
    if not all(a[v].says("see no GPU: CUDA_VISIBLE_DEVICES=") for v in ("check", "verify")):
        yield "check and verify do not note it"


@rule
def names_the_variable_that_hides_gpus(a, *verbs):
    for v, one in a.of(verbs):
        if "CUDA_VISIBLE_DEVICES=" not in one.text or not all(c.startswith("unset CUDA_VISIBLE_DEVICES") for c in one.todo):
            yield f"{v}: {one.todo}"


@rule
def names_the_variable_that_changed(a, *verbs):
    """It takes the driver to know that no GPU has that number: so does prime."""
    for v, one in a.of(verbs):
        if "changed since the last run: CUDA_VISIBLE_DEVICES" not in one.text or one.todo != ["jitwarm prime"]:
            yield f"{v}: {one.todo}"


@rule
def names_the_library_that_is_cut_off(a):
    for v, one in a.items():
        if "libcuda.so.580.126.09, is not a whole library" not in one.words or "reboot" in one.words or a.said.get(v, "unknown") != "unknown":
            yield f"{v}: {a.said}"


# ---- of a login or a terminal that starts otherwise than this shell ----

@rule
def a_login_starts_otherwise(a, words="", primes=False):
    """Each verb says how, none is content, and one command mends it, which is no prime unless `primes`."""
    ways = {tuple(c.split(" && ")[0] for c in one.lines) for one in a.values()}
    if len(ways) != 1 or (not primes and any(c.startswith("jitwarm prime") for way in ways for c in way)):
        yield f"what mends it: {ways}"
    for v, one in a.items():
        if v != "doctor" and not one.says(words):
            yield f"{v} does not say {words!r}"
        content = re.search("[Nn]othing to do|othing to verify|nothing is wrong|next start compiles nothing", one.text)
        if content or (v in END and one.code != 1) or "warm" in a.said.values():
            yield f"{v} is content with it, and ends with {one.code}"


@rule
def a_login_of_a_container_is_a_note(a):
    for v in END:
        if a[v].code == 1 and v != "doctor" or "CUDA_CACHE_DISABLE" not in a[v].text:
            yield f"{v} ends with {a[v].code}, or has no word on the login"
    if "setting-differs-at-login" not in a.doctor.ids("note"):
        yield "doctor has no note on the login"


@rule
def another_cache_at_login(a, owner="CuPy", variable="CUPY_CACHE_DIR"):
    """Of another compiler: all but `jitwarm` alone say so, and each command gives this shell that cache."""
    for v, one in a.items():
        if v != "plain" and not one.says(f"has another one of {owner}'s caches than"):
            yield f"{v} does not say which cache"
        if any(not re.match(rf"export {variable}=\S+/kernels && ", c) for c in one.todo):
            yield f"{v} does not give this shell that cache: {one.todo}"


@rule
def everybody_may_write_there(a, line):
    """One command closes the folder, and no prime was stopped: none began."""
    if any(not c.startswith(line) for todo in a.todo for c in todo) or len({tuple(todo) for todo in a.todo}) != 1:
        yield f"not {line!r}: {a.todo}"
    for v, one in a.items():
        if (v != "plain" and "everybody may write to the cache's folder" not in one.words) or "was stopped" in one.text:
            yield f"{v} does not say who may write there, or that a prime was stopped"
