#!/usr/bin/env python3
"""One call: the request is a line of JSON on the standard input, the reply is text or JSON on the standard output."""

import json
import sys

request = json.loads(sys.stdin.readline())
print(json.dumps({"text": "You said: " + request["options"]["text"]}))
