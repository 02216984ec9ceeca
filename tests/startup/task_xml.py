#!/usr/bin/env python3
"""task_xml.py: both definitions of Windows' task have the elements that Microsoft's schema knows,
in its order where that is one ([MS-TSCH] 2.5, xs:sequence).

Windows refuses a task that breaks it. Wine's schtasks drops triggers, so that this is all that is
known of them without a real Windows: whether they fire is not.
"""
import pathlib
import re
import sys
import xml.etree.ElementTree as ElementTree

FILES = pathlib.Path(__file__).resolve().parents[2] / "src/setup/files"
SPACE = "{http://schemas.microsoft.com/windows/2004/02/mit/task}"
TRIGGER = "Enabled StartBoundary EndBoundary Repetition ExecutionTimeLimit"
# An extension's elements follow those of its base.
SEQUENCES = {
    "LogonTrigger": f"{TRIGGER} UserId Delay",
    "EventTrigger": f"{TRIGGER} Subscription Delay PeriodOfOccurrence NumberOfOccurrences "
                    "MatchingElement ValueQueries",
    "Exec": "Command Arguments WorkingDirectory",
}
# xs:all, xs:choice: in any order.
SETS = {
    "Task": "RegistrationInfo Triggers Settings Data Principals Actions",
    "RegistrationInfo": "URI SecurityDescriptor Source Date Author Version Description "
                        "Documentation",
    "Triggers": "LogonTrigger EventTrigger",
    "Principals": "Principal",
    "Principal": "UserId GroupId LogonType DisplayName RunLevel",
    "Settings": "AllowStartOnDemand DisallowStartIfOnBatteries StopIfGoingOnBatteries "
                "AllowHardTerminate StartWhenAvailable RunOnlyIfNetworkAvailable WakeToRun Enabled "
                "Hidden DeleteExpiredTaskAfter IdleSettings NetworkSettings ExecutionTimeLimit "
                "Priority RunOnlyIfIdle RestartOnFailure MultipleInstancesPolicy",
    "Actions": "Exec",
}
REQUIRED = {"Task": "Actions", "EventTrigger": "Subscription", "Exec": "Command"}
MANY = {"Triggers", "Principals", "Actions"}


def name_of(element):
    return element.tag.removeprefix(SPACE)


def faults(element, where):
    name, children = name_of(element), [name_of(child) for child in element]
    known = (SEQUENCES.get(name) or SETS.get(name) or "").split()
    where = f"{where}/{name}"
    for child in children:
        if child not in known:
            yield f"{where}: the schema has no {child} there"
    if name not in MANY and len(set(children)) != len(children):
        yield f"{where}: an element is there twice"
    if name in SEQUENCES and children != sorted(children, key=known.index):
        yield f"{where}: {' '.join(children)} is not the order of {' '.join(known)}"
    if REQUIRED.get(name, children[0] if children else "") not in ["", *children]:
        yield f"{where}: {REQUIRED[name]} is missing"
    for child in element:
        yield from faults(child, where)


def of_file(file):
    # ElementTree reads the declared UTF-16 only from bytes that are; the program makes them so.
    text = re.sub(r' encoding="UTF-16"', "", file.read_text(encoding="utf-8"))
    root = ElementTree.fromstring(text)
    yield from faults(root, file.name)
    for query in root.iter(f"{SPACE}Subscription"):
        ElementTree.fromstring(query.text)


files = sorted(FILES.glob("*.xml"))
found = [fault for file in files for fault in of_file(file)]
print("\n".join(found) or f"{len(files)} definitions")
sys.exit(1 if found or len(files) != 2 else 0)
