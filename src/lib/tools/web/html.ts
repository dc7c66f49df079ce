const UNSEEN = /<(script|style|noscript|template|svg|head)\b[^>]*>[\s\S]*?<\/\1\s*>/gi
const BREAKS =
  /<\/?(?:p|div|section|article|header|footer|main|ul|ol|li|tr|table|h[1-6]|br|hr|pre|blockquote)\b[^>]*>/gi
const NAMED: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'", nbsp: ' ' }

/** The text of a page, roughly as it is read: without hidden parts, and with the targets of links. */
export function plainText(html: string): string {
  return html
    .replaceAll(/<!--[\s\S]*?-->/g, '')
    .replaceAll(UNSEEN, '')
    .replaceAll(/<a\b[^>]*?\bhref="([^"]*)"[^>]*>([\s\S]*?)<\/a\s*>/gi, '$2 ($1)')
    .replaceAll(BREAKS, '\n')
    .replaceAll(/<[^>]*>/g, '')
    .replaceAll(/&(?:#(\d+)|#x([\da-f]+)|(\w+));/gi, decoded)
    .replaceAll(/[ \t]+/g, ' ')
    .replaceAll(/\s*\n\s*/g, '\n')
    .trim()
}

function decoded(whole: string, decimal?: string, hex?: string, name?: string): string {
  const code = decimal === undefined ? (hex === undefined ? undefined : Number.parseInt(hex, 16)) : Number(decimal)
  if (code !== undefined) return code > 0 && code <= 0x10_ff_ff ? String.fromCodePoint(code) : whole
  return NAMED[name?.toLowerCase() ?? ''] ?? whole
}
