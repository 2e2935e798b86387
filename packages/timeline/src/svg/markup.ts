/**
 * Characters that XML 1.0 never allows, even escaped: most controls, halves of surrogate pairs,
 * U+FFFE and U+FFFF.
 */
// oxlint-disable-next-line no-control-regex -- these very characters are looked for
const notXml = /[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu;

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * Escapes a text for an element or a quoted attribute. Characters that XML cannot represent become
 * U+FFFD.
 */
export function escapeXml(text: string): string {
  return text.replace(notXml, '\ufffd').replace(/[&<>"']/g, (found) => entities[found] ?? found);
}

/** Returns an element with attributes, which are escaped, and children, which are markup. */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number>>,
  children: readonly string[] = [],
): string {
  const head = Object.entries(attributes)
    .map(([key, value]) => ` ${key}="${typeof value === 'number' ? coordinate(value) : escapeXml(value)}"`)
    .join('');
  return children.length === 0 ? `<${name}${head}/>` : `<${name}${head}>${children.join('')}</${name}>`;
}

/** Returns an element that contains only text. */
export function textElement(name: string, attributes: Readonly<Record<string, string | number>>, text: string): string {
  return element(name, attributes, [escapeXml(text)]);
}

/** Formats a number with at most two decimals, the same on every machine. */
export function coordinate(value: number): string {
  return String(Number(value.toFixed(2)) + 0);
}

/**
 * Estimates the width of a text in pixels, at a font size of 11 pixels. Fonts differ, so the
 * estimate is generous.
 */
export function widthOf(text: string): number {
  return Array.from(text).length * 6.4;
}

/** Returns the text, or the part that fits with an ellipsis; empty if no useful part fits. */
export function fit(text: string, width: number): string {
  if (widthOf(text) <= width) return text;
  const kept = Array.from(text)
    .slice(0, Math.max(0, Math.floor(width / 6.4) - 1))
    .join('');
  return kept.length < 2 ? '' : `${kept.trimEnd()}…`;
}
