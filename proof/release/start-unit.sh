#!/bin/sh
# Starts a unit as it is written, where systemd is not the first process: its account, settings, credentials
# and folders, and ExecStart in place of this shell.
set -e
name=$1
unit=/lib/systemd/system/$name.service
values() { sed -n "s/^$1=//p" "$unit"; }
user=$(values User)
credentials=/run/credentials/$name.service
mkdir -p "$credentials"
for each in $(values LoadCredential); do cp "${each#*:}" "$credentials/${each%%:*}"; done
chmod 500 "$credentials"
chown -R "$user" "$credentials"
for each in $(values CacheDirectory); do install -d -m 700 -o "$user" -g "$user" "/var/cache/$each"; done
for each in $(values StateDirectory); do install -d -m 700 -o "$user" -g "$user" "/var/lib/$each"; done
set -a
. "$(values EnvironmentFile)"
eval "$(values Environment | sed "s#%d#$credentials#g;s#%C#/var/cache#g" | tr ' ' '\n')"
set +a
umask "$(values UMask)"
exec setpriv --reuid "$user" --regid "$user" --clear-groups --no-new-privs -- $(values ExecStart)
