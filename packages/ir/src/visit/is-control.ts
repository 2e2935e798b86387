import type { Statement, StatementKind } from '../statement.ts';
import type { StatementByKind } from './dispatch.ts';

// Waits have bodies, but also an effect of their own.
type ControlKind = 'if' | 'loop' | 'break' | 'continue' | 'block' | 'leave' | 'return' | 'call';

const isControlKind: { readonly [K in StatementKind]: K extends ControlKind ? true : false } = {
  assign: false,
  load: false,
  store: false,
  atomic: false,
  fence: false,
  fenceProxy: false,
  sync: false,
  wait: false,
  waitAll: false,
  collective: false,
  if: true,
  loop: true,
  break: true,
  continue: true,
  block: true,
  leave: true,
  return: true,
  assert: false,
  print: false,
  approximate: false,
  clock: false,
  call: true,
};

/** A construct around bodies, or a jump. A call is one even if it has no body. */
export type ControlStatement = StatementByKind[ControlKind];

/**
 * True if `statement` only directs control flow. A `switch` over the remaining kinds, or over
 * these, is still checked by the compiler.
 */
export function isControl(statement: Statement): statement is ControlStatement {
  return isControlKind[statement.kind];
}
