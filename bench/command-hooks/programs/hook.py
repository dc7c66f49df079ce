"""A hook as people write them: read the event, look at it, answer. Nothing in it knows of Carabiner."""
import json
import re
import sys

event = json.load(sys.stdin)
command = event["tool_input"]["command"]
if re.search(r"rm -rf /", command):
    print("not that", file=sys.stderr)
    sys.exit(2)
print(json.dumps({"hookSpecificOutput": {"hookEventName": "PreToolUse", "permissionDecision": "allow"}}))
