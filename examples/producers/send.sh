#!/bin/sh
# Sends one event with curl, again and again until it is safe or refused for good: exit 0 and the receipt, or exit 1 and
# the reason. COUNTERSIGN_URL and COUNTERSIGN_KEY say where to and with which key; $1 is the event's own id.
set -eu
id=${1:?"the event's own id, such as order-1001"}
key=${COUNTERSIGN_KEY:?"the key that countersign keys create has printed"}
tries=8

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
printf '{"source":"shop","id":"%s","type":"order.created","data":{"total":42.1}}' "$id" >"$folder/event"

# Prints the status. The key comes from standard input: arguments can be read by every process of the machine.
post() {
  printf 'header = "Authorization: Bearer %s"\n' "$key" |
    curl --config - --silent --show-error --max-time 30 --header 'Content-Type: application/json' \
      --data-binary "@$folder/event" --dump-header "$folder/headers" --output "$folder/answer" \
      --write-out '%{http_code}' "${COUNTERSIGN_URL:-http://127.0.0.1:8787}/v1/events"
}

try=1
while :; do
  : >"$folder/headers" >"$folder/answer"
  status=$(post) || status=000 # no answer, or none that came to its end
  case $status in
    200 | 202)
      cat "$folder/answer" && echo
      exit 0
      ;;
    000 | 408 | 429 | 5??) ;; # sending again is safe: the id makes it the same event
    *) break ;;
  esac
  [ "$try" -lt "$tries" ] || break
  # Never before Retry-After, twice as long each time, and not all producers at the same moment.
  asked=$(sed -n 's/^[Rr]etry-[Aa]fter: *\([0-9][0-9]*\).*/\1/p' "$folder/headers" | tail -n 1)
  own=$((1 << (try < 5 ? try - 1 : 4)))
  sleep "$((${asked:-0} > own ? asked : own)).$(($$ % 10))"
  try=$((try + 1))
done
echo "$status: $(cat "$folder/answer")" >&2
exit 1
