/** Made-up secrets of the twelve families. They are put together here, so that no scanner takes this file for a leak. */
const ALNUM = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789'

/** Characters of a fixed sequence that looks random. */
function characters(count: number, seed: number, from = ALNUM): string {
  let state = seed * 7919 + 17
  let text = ''
  for (let at = 0; at < count; at++) {
    state = (state * 1103515245 + 12345) % 2147483648
    text += from[Math.floor((state / 2147483648) * from.length)]
  }
  return text
}

const base64 = (text: string): string => Buffer.from(text).toString('base64url')

function pem(kind: string, seed: number): string {
  const lines = Array.from({ length: 12 }, (_, line) => characters(64, seed + line, `${ALNUM}+/`))
  return [`-----BEGIN ${kind}-----`, ...lines, `-----END ${kind}-----`].join('\n')
}

/** The text in which it is found, and the part that must not be seen. */
export interface Planted {
  readonly family: string
  readonly text: string
  readonly secret: string
}

const bare = (family: string, make: (seed: number) => string): readonly Planted[] =>
  [1, 2, 3, 4, 5].map(seed => ({ family, text: `value ${make(seed)}`, secret: make(seed) }))

const within = (
  family: string,
  make: (seed: number) => string,
  around: (secret: string, seed: number) => string
): readonly Planted[] => [1, 2, 3, 4, 5].map(seed => ({ family, text: around(make(seed), seed), secret: make(seed) }))

const pick = (seed: number, ...texts: readonly string[]): string => texts[seed % texts.length]!

export const SAMPLES: readonly Planted[] = [
  ...bare('AWS', seed => `${pick(seed, 'AKIA', 'ASIA')}${characters(16, seed, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567')}`),
  ...within(
    'AWS',
    seed => characters(40, seed, `${ALNUM}+/`),
    (secret, seed) =>
      pick(
        seed,
        `aws_secret_access_key = ${secret}`,
        `AWS_SECRET_ACCESS_KEY="${secret}"`,
        `{"SecretAccessKey": "${secret}"}`,
        `secretAccessKey: '${secret}',`,
        `export AWS_SECRET_ACCESS_KEY=${secret}`
      )
  ),
  ...bare('GitHub', seed => `${pick(seed, 'ghp_', 'gho_', 'ghu_', 'ghs_', 'github_pat_')}${characters(40, seed)}`),
  ...bare('GitLab', seed => `glpat-${characters(20, seed)}`),
  ...bare('Slack', seed => `${pick(seed, 'xoxb-', 'xoxp-', 'xoxa-')}123456789012-${characters(24, seed)}`),
  ...bare('Stripe', seed => `${pick(seed, 'sk', 'rk')}_live_${characters(24, seed)}`),
  ...bare('Google', seed => `AIza${characters(35, seed, `${ALNUM}_`)}`),
  ...bare('Anthropic', seed => `sk-ant-api03-${characters(90, seed, `${ALNUM}-_`)}x`),
  ...bare('OpenAI', seed => pick(seed, `sk-proj-${characters(80, seed)}`, `sk-${characters(48, seed)}`)),
  ...bare('npm', seed => `npm_${characters(36, seed)}`),
  ...bare('private key', seed => pem(pick(seed, 'RSA PRIVATE KEY', 'PRIVATE KEY', 'OPENSSH PRIVATE KEY'), seed)),
  ...bare(
    'JSON web token',
    seed => `${base64('{"alg":"HS256","typ":"JWT"}')}.${base64(`{"sub":"${seed}"}`)}.${characters(43, seed)}`
  ),
  ...within(
    'password in a URL',
    seed => `${characters(12, seed)}7`,
    (secret, seed) => `${pick(seed, 'https', 'postgres', 'redis')}://user${seed}:${secret}@host.example/path`
  )
]
