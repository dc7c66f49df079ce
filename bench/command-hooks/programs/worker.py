"""The same hook as a worker, by hand: numbered lines in, numbered lines out."""
import json
import re
import sys

for line in sys.stdin:
    request = json.loads(line)
    answer = {"id": request["id"]}
    if "input" in request:
        refused = re.search(r"rm -rf /", request["input"]["tool_input"]["command"])
        decision = "deny" if refused else "allow"
        answer["reply"] = {"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": decision}}
    print(json.dumps(answer), flush=True)
