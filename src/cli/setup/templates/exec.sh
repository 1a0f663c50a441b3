#!/bin/sh
# One call: the request is a line of JSON on the standard input, the reply is text or JSON on the standard output.
read -r request
text=$(printf '%s' "$request" | sed -n 's/.*"options":{[^}]*"text":"\([^"]*\)".*/\1/p')
printf 'You said: %s\n' "$text"
