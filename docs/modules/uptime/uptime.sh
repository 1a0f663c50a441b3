#!/bin/sh
# Answers one call: the request stands on the standard input, the reply goes to the standard output.
read -r seconds _ < /proc/uptime || { echo '{"error":"this machine does not say how long it has been up"}'; exit; }
minutes=$(( ${seconds%.*} / 60 ))
echo "Up for $(( minutes / 1440 )) d $(( minutes / 60 % 24 )) h $(( minutes % 60 )) min."
