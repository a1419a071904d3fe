#!/bin/sh
# Sends one event with curl, again and again until it is safe or refused for good.
# COUNTERSIGN_URL and COUNTERSIGN_KEY say where to and with which key; $1 is the event's id.
set -eu
id=${1:?"the event's own id, such as order-1001"}

# --retry comes back after 408, 429, 5xx, time-outs and where nobody listens, and waits as long as Retry-After says.
# Whatever else goes wrong (a connection lost midway) ends this script with another code than 0: run it again. Sending
# again is safe, because the id makes it the same event.
printf '{"source":"shop","id":"%s","type":"order.created","data":{"total":42.10}}' "$id" |
  curl --silent --show-error --fail-with-body \
    --retry 8 --retry-connrefused --retry-max-time 120 --max-time 30 \
    --header "Authorization: Bearer ${COUNTERSIGN_KEY:?}" \
    --header 'Content-Type: application/json' \
    --data-binary @- "${COUNTERSIGN_URL:-http://127.0.0.1:8787}/v1/events"
echo
