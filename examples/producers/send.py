"""Sends one event with nothing but Python, again and again until it is safe or refused for good.

COUNTERSIGN_URL and COUNTERSIGN_KEY say where to and with which key; the first argument is the event's id.
"""
import json
import os
import random
import sys
import time
import urllib.error
import urllib.request

URL = os.environ.get("COUNTERSIGN_URL", "http://127.0.0.1:8787") + "/v1/events"
KEY = os.environ.get("COUNTERSIGN_KEY", "")
TRIES = 8


def send(event):
    """Returns the receipt once the event is safe. Sending again is safe too: the id makes it the same event."""
    body = json.dumps(event).encode()
    headers = {"Authorization": f"Bearer {KEY}", "Content-Type": "application/json"}
    for attempt in range(1, TRIES + 1):
        try:
            request = urllib.request.Request(URL, body, headers, method="POST")
            with urllib.request.urlopen(request, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as refused:
            if refused.code not in (408, 429) and refused.code < 500 or attempt == TRIES:
                raise SystemExit(f"{refused.code}: {refused.read().decode()}")
            asked = float(refused.headers.get("Retry-After", 0))
        except OSError:
            if attempt == TRIES:
                raise
            asked = 0
        # Never before Retry-After, and not all producers at the same moment.
        time.sleep(max(asked, min(30, 0.5 * 2**attempt) * random.uniform(0.5, 1)))


print(json.dumps(send({"source": "shop", "id": sys.argv[1], "type": "order.created", "data": {"total": 42.1}})))
