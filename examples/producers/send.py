"""Sends one event with `requests`, again and again until it is safe or refused for good: exit 0 and the receipt, or
exit 1 and the reason.

COUNTERSIGN_URL and COUNTERSIGN_KEY say where to and with which key; the first argument is the event's own id.
"""
import os
import random
import sys
import time
from datetime import datetime, timezone
from email.utils import parsedate_to_datetime

import requests

URL = os.environ.get("COUNTERSIGN_URL", "http://127.0.0.1:8787") + "/v1/events"
KEY = os.environ.get("COUNTERSIGN_KEY", "")
TRIES = 8


def send(event):
    """Returns the receipt once the event is safe. Sending again is safe too: the id makes it the same event."""
    for attempt in range(1, TRIES + 1):
        asked = 0
        try:
            answer = requests.post(
                URL, json=event, headers={"Authorization": f"Bearer {KEY}"}, timeout=30, allow_redirects=False
            )
            if answer.status_code in (200, 202):
                return answer.text
            reason = f"{answer.status_code}: {answer.text}"
            if answer.status_code not in (408, 429) and answer.status_code < 500:
                break
            asked = asked_seconds(answer.headers.get("Retry-After", "0"))
        except requests.RequestException as error:  # no answer, or none that came to its end
            reason = f"0: {error}"
        if attempt < TRIES:
            time.sleep(max(asked, own_seconds(attempt)))
    raise SystemExit(reason)


def asked_seconds(retry_after):
    """Seconds or a date (RFC 9110, section 10.2.3); 0 when nothing is said."""
    if retry_after.isdigit():
        return int(retry_after)
    try:
        return (parsedate_to_datetime(retry_after) - datetime.now(timezone.utc)).total_seconds()
    except (TypeError, ValueError):
        return 0


def own_seconds(attempt):
    """Twice as long each time, and not all producers at the same moment."""
    return min(30, 0.5 * 2**attempt) * random.uniform(0.5, 1)


if len(sys.argv) != 2:
    raise SystemExit("Give the event's own id, such as order-1001.")
print(send({"source": "shop", "id": sys.argv[1], "type": "order.created", "data": {"total": 42.1}}))
