#!/bin/sh
# Answers one call: the request stands on the standard input as one line, the reply goes to the standard output.
read -r request
case $request in
    *'"language":"de'*) up='Läuft seit' days='T' silent='Diese Maschine sagt nicht, wie lange sie schon läuft.' ;;
    *) up='Up for' days='d' silent='This machine does not say how long it has been up.' ;;
esac
read -r seconds _ < /proc/uptime || { echo "{\"error\":\"$silent\"}"; exit; }
minutes=$(( ${seconds%.*} / 60 ))
echo "$up $(( minutes / 1440 )) $days $(( minutes / 60 % 24 )) h $(( minutes % 60 )) min."
