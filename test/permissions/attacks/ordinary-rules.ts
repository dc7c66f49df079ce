/** Data: rules that allow, as ordinary users have them. */
export const ORDINARY_RULES: readonly string[] = `
  awk basename bash:* cargo:* cat:* cd:* comm curl cut date diff docker:* du echo:* env find:* git:* go:* grep:* head jq ls:*
  make:* mkdir:* node:* npm:* npx:* pip pnpm pytest:* python3:* rg sed:* sh sort:* tail tar test timeout stat tr tsc uniq
  wc which xargs yarn`
  .trim()
  .split(/\s+/)
  .map(name => (name.endsWith(':*') ? `Bash(${name})` : `Bash(${name} *)`))
