/** Returns a text without its outer parentheses, if they are not needed. */
export function bare(text: string): string {
  if (!text.startsWith('(') || !text.endsWith(')')) return text;
  let depth = 0;
  for (let i = 0; i < text.length; i++) {
    if (text[i] === '(') depth++;
    else if (text[i] === ')') depth--;
    // The first one closes before the end, so the last one belongs to something else.
    if (depth === 0 && i < text.length - 1) return text;
  }
  return text.slice(1, -1);
}
