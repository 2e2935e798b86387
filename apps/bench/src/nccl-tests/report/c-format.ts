/** Enough digits to decide if a value is exactly between two printed ones. No double has more. */
const MORE = 60;
const MOST_DIGITS = 100;

/** `%.{digits}f` of C. It rounds to nearest, and ties to even, which JavaScript does not. */
export function fixed(value: number, digits: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const size = Math.abs(value);
  if (size >= 1e21) return `${sign}${BigInt(size)}${digits === 0 ? '' : `.${'0'.repeat(digits)}`}`;
  const exact = size.toFixed(Math.min(MOST_DIGITS, digits + MORE));
  const cut = exact.indexOf('.') + 1 + digits;
  const kept = digits === 0 ? exact.slice(0, cut - 1) : exact.slice(0, cut);
  return sign + (staysDown(exact.slice(cut), kept) ? kept : size.toFixed(digits));
}

/** `%.{digits}e` of C. */
export function exponential(value: number, digits: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const sign = value < 0 || Object.is(value, -0) ? '-' : '';
  const size = Math.abs(value);
  const [exact = '', power = '+0'] = size.toExponential(Math.min(MOST_DIGITS, digits + MORE)).split('e');
  const kept = exact.slice(0, digits === 0 ? 1 : 2 + digits);
  if (staysDown(exact.slice(2 + digits), kept)) return `${sign}${kept}e${twoDigits(power)}`;
  const [mantissa = '', rounded = '+0'] = size.toExponential(digits).split('e');
  return `${sign}${mantissa}e${twoDigits(rounded)}`;
}

/** `%g` of C, with six significant digits and without trailing zeros. */
export function general(value: number): string {
  if (!Number.isFinite(value)) return notFinite(value);
  const precision = 6;
  const [mantissa = '', power = '+00'] = exponential(value, precision - 1).split('e');
  const exponent = Number(power);
  if (exponent < -4 || exponent >= precision) return `${withoutZeros(mantissa)}e${power}`;
  return withoutZeros(fixed(value, precision - 1 - exponent));
}

/**
 * Formats a number in at most `width` columns, with two decimals if they fit, then one, then none,
 * then an exponent. It is not padded.
 */
export function fitted(value: number, width: number): string {
  const plain = [2, 1, 0].map((digits) => fixed(value, digits)).find((text) => text.length <= width);
  return plain ?? exponential(value, width >= 7 ? 1 : 0).slice(0, width);
}

function notFinite(value: number): string {
  return Number.isNaN(value) ? 'nan' : value < 0 ? '-inf' : 'inf';
}

/** True if the dropped part is exactly one half, and the digit before it is even. */
function staysDown(rest: string, kept: string): boolean {
  return /^50*$/.test(rest) && Number(kept.at(-1)) % 2 === 0;
}

function twoDigits(power: string): string {
  return power.length < 3 ? `${power.slice(0, 1)}0${power.slice(1)}` : power;
}

function withoutZeros(text: string): string {
  return text.includes('.') ? text.replace(/\.?0+$/, '') : text;
}
