/** The value of a number, with its underscores, or of an octal one as before ES5. */
export function numberValue(text: string): number {
  const plain = text.replaceAll('_', '');
  return /^0[0-7]+$/.test(plain) ? Number.parseInt(plain, 8) : Number(plain);
}

const ESCAPES = /\\(?:u\{([\da-fA-F]+)\}|u([\da-fA-F]{4})|x([\da-fA-F]{2})|([0-3][0-7]{0,2}|[4-7][0-7]?)|(\r\n|[^]))/g;

const CONTROLS = new Map([
  ['n', '\n'],
  ['r', '\r'],
  ['t', '\t'],
  ['b', '\b'],
  ['v', '\v'],
  ['f', '\f'],
  ['\r\n', ''],
  ['\n', ''],
  ['\r', ''],
  ['\u2028', ''],
  ['\u2029', ''],
]);

/** The value of the text between the quotes of a string. */
export function stringValue(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replaceAll(
    ESCAPES,
    (_escape, point?: string, unit?: string, byte?: string, octal?: string, character: string = '') => {
      const hex = point ?? unit ?? byte;
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
      return CONTROLS.get(character) ?? character;
    },
  );
}

/** The value of a template's text; `null` if an escape is wrong, so that only a tag may take it. */
export function templateValue(text: string): string | null {
  return /^(?:[^\\]|\\(?:[^ux0-9]|0(?!\d)|u[\da-fA-F]{4}|u\{[\da-fA-F]+\}|x[\da-fA-F]{2}))*$/u.test(text)
    ? stringValue(text)
    : null;
}
