/**
 * Computes an operator on two literals as JavaScript does, because minifiers also do so. Returns
 * `undefined` if the operator has no result.
 */
export function foldBinary(
  operator: string,
  left: number | bigint | boolean,
  right: number | bigint | boolean,
): number | bigint | boolean | undefined {
  if (typeof left === 'bigint' || typeof right === 'bigint') {
    const a = toBigInt(left);
    const b = toBigInt(right);
    return a === undefined || b === undefined ? undefined : foldBigInts(operator, a, b);
  }
  return foldNumbers(operator, Number(left), Number(right));
}

export function foldUnary(operator: string, value: number | bigint | boolean): number | bigint | boolean | undefined {
  switch (operator) {
    case '-':
      return typeof value === 'bigint' ? -value : -Number(value);
    case '+':
      return typeof value === 'boolean' ? Number(value) : value;
    case '~':
      return typeof value === 'bigint' ? ~value : ~Number(value);
    case '!':
      return !value;
    default:
      return undefined;
  }
}

/** The most bits of a literal. A larger one is a mistake, and computing it could take too long. */
const MAX_BITS = 256n;

function toBigInt(value: number | bigint | boolean): bigint | undefined {
  if (typeof value === 'bigint') return value;
  const number = Number(value);
  return Number.isInteger(number) ? BigInt(number) : undefined;
}

function foldNumbers(operator: string, a: number, b: number): number | boolean | undefined {
  switch (operator) {
    case '+':
      return a + b;
    case '-':
      return a - b;
    case '*':
      return a * b;
    case '/':
      return a / b;
    case '%':
      return a % b;
    case '**':
      return a ** b;
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '<<':
      return a << b;
    case '>>':
      return a >> b;
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    default:
      return undefined;
  }
}

function foldBigInts(operator: string, a: bigint, b: bigint): bigint | boolean | undefined {
  const sized = (value: bigint): bigint | undefined =>
    BigInt.asIntN(Number(MAX_BITS), value) === value ? value : undefined;
  switch (operator) {
    case '+':
      return sized(a + b);
    case '-':
      return sized(a - b);
    case '*':
      return sized(a * b);
    case '/':
      return b === 0n ? undefined : a / b;
    case '%':
      return b === 0n ? undefined : a % b;
    case '**':
      // Unless `a` is 0, 1 or -1, `a ** b` has more than `b` bits.
      return b < 0n || (b > MAX_BITS && a * a > 1n) ? undefined : sized(a ** b);
    case '&':
      return a & b;
    case '|':
      return a | b;
    case '^':
      return a ^ b;
    case '<<':
      return b < 0n || b > MAX_BITS ? undefined : sized(a << b);
    case '>>':
      return b < 0n || b > MAX_BITS ? undefined : a >> b;
    case '==':
      return a === b;
    case '!=':
      return a !== b;
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    case '>=':
      return a >= b;
    default:
      return undefined;
  }
}
