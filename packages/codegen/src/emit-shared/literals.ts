/** The only function that puts numbers into generated text. */
export function literal(value: number | bigint | boolean): string {
  if (typeof value === 'boolean') return value ? 'true' : 'false';
  if (typeof value === 'bigint') return value < 0n ? `(${value}n)` : `${value}n`;
  if (Object.is(value, -0) || value < 0) return `(-${unsigned(-value)})`;
  return unsigned(value);
}

function unsigned(value: number): string {
  return Number.isNaN(value) ? 'NaN' : value === Infinity ? 'Infinity' : String(value);
}
