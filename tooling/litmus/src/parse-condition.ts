import type { LitmusComparison, Condition, ConditionValue } from './litmus-test.ts';

const comparisons: Readonly<Record<string, LitmusComparison>> = {
  '=': '==',
  '==': '==',
  '!=': '!=',
  '<': '<',
  '<=': '<=',
  '>': '>',
  '>=': '>=',
};

/** Parses `P0:r1 == 0 /\ (x == 1 \/ ~(y == 2))`. `/\` binds more tightly. @throws TypeError */
export function parseCondition(text: string): Condition {
  const tokens = text.match(/\/\\|\\\/|[!<>=]=|[()<>=~]|P?\d+\s*:\s*\w+|-?\d+\b|\w+/gu) ?? [];
  let at = 0;
  const take = (expected?: string): string => {
    const token = tokens[at++];
    if (token === undefined || (expected !== undefined && token !== expected)) {
      throw new TypeError(`${expected ?? 'More'} was expected in the condition ${text.trim()}`);
    }
    return token;
  };
  const either = (): Condition => {
    let left = both();
    while (tokens[at] === '\\/') {
      at++;
      left = { kind: 'or', left, right: both() };
    }
    return left;
  };
  const both = (): Condition => {
    let left = single();
    while (tokens[at] === '/\\') {
      at++;
      left = { kind: 'and', left, right: single() };
    }
    return left;
  };
  const single = (): Condition => {
    if (tokens[at] === '~') {
      at++;
      return { kind: 'not', inner: single() };
    }
    if (tokens[at] === '(') {
      at++;
      const inner = either();
      take(')');
      return inner;
    }
    const left = valueOf(take());
    const by = comparisons[take()];
    if (by === undefined) throw new TypeError(`There is no such comparison in ${text.trim()}`);
    return { kind: 'compare', by, left, right: valueOf(take()) };
  };
  const condition = either();
  if (at < tokens.length) throw new TypeError(`The condition ends before ${tokens[at]}: ${text.trim()}`);
  return condition;
}

function valueOf(token: string): ConditionValue {
  if (/^-?\d+$/u.test(token)) return { kind: 'constant', value: Number(token) };
  const register = /^P?(?<thread>\d+)\s*:\s*(?<name>\w+)$/u.exec(token)?.groups;
  if (register === undefined) return { kind: 'location', name: token };
  return { kind: 'register', thread: `P${register['thread']}`, name: register['name'] ?? '' };
}

/** All values in a condition. */
export function valuesOf(condition: Condition): readonly ConditionValue[] {
  switch (condition.kind) {
    case 'compare':
      return [condition.left, condition.right];
    case 'not':
      return valuesOf(condition.inner);
    case 'and':
    case 'or':
      return [...valuesOf(condition.left), ...valuesOf(condition.right)];
  }
}

/** True if the condition holds with these values. */
export function holds(condition: Condition, read: (value: ConditionValue) => number): boolean {
  switch (condition.kind) {
    case 'not':
      return !holds(condition.inner, read);
    case 'and':
      return holds(condition.left, read) && holds(condition.right, read);
    case 'or':
      return holds(condition.left, read) || holds(condition.right, read);
    case 'compare': {
      const [left, right] = [read(condition.left) | 0, read(condition.right) | 0];
      const results: Readonly<Record<LitmusComparison, boolean>> = {
        '==': left === right,
        '!=': left !== right,
        '<': left < right,
        '<=': left <= right,
        '>': left > right,
        '>=': left >= right,
      };
      return results[condition.by];
    }
  }
}
