import { isNcclError, type NcclError } from '@nccl-ts/core';
import { DeadlockError, FaultError, renderDeadlock, renderFault } from '@nccl-ts/findings';
import type { Colors } from './output/colors.ts';
import { relativePaths } from './output/relative-paths.ts';
import { ModuleError } from './module/module-error.ts';
import { todoText } from './todo-text.ts';
import { visibleLine } from './output/visible-text.ts';
import { WriteError } from './output/write-error.ts';
import { UsageError } from './usage-error.ts';

/**
 * Returns the text of an error: the lines that kernels printed before it, its code and message, and
 * its position in the user's own module.
 */
export function errorText(error: unknown, colors: Colors): string {
  const cause = error instanceof ModuleError ? error.cause : error;
  const printed = cause instanceof FaultError || cause instanceof DeadlockError ? cause.printed : [];
  return [...printed.map((line) => `  ${visibleLine(line)}`), relativePaths(reportOf(error, colors))].join('\n');
}

/**
 * Returns a hint on where to read about an error's code. For a kernel that does not compile, it
 * names the code of the first report. `undefined` for errors without a code.
 */
export function explainHint(error: unknown): string | undefined {
  const cause = error instanceof ModuleError ? error.cause : error;
  if (!isNcclError(cause)) return undefined;
  const [, first] = /\[([KP]\d{4})\]/.exec(cause.message) ?? [];
  return `for details, run nccl-ts explain ${first ?? cause.code}`;
}

function reportOf(error: unknown, colors: Colors): string {
  if (error instanceof ModuleError) {
    const hint = promiseHint(error.cause) ?? importHint(error.cause);
    const text = [
      headline(error.cause, colors),
      ...(hint === undefined ? [] : [hint]),
      ...userFrames(error).map((frame) => colors.dim(frame)),
    ];
    return text.join('\n');
  }
  if (error instanceof UsageError || error instanceof WriteError || isNcclError(error)) return headline(error, colors);
  // An unexpected error, so print everything that helps to find it.
  return error instanceof Error ? (error.stack ?? headline(error, colors)) : headline(error, colors);
}

/** The methods of what the calls that return promises resolve to. */
const RESULT_METHODS = /^(\w+)\.(write|read|fill|close|deregister) is not a function$/;

/** A promise has none of the methods of its result, which is the commonest cause of this error. */
function promiseHint(error: unknown): string | undefined {
  const [, name] = error instanceof TypeError ? (RESULT_METHODS.exec(error.message) ?? []) : [];
  return name === undefined
    ? undefined
    : `  = help: is '${name}' a promise? allocWindow, registerWindow and createDevComm return one: const ${name} = await comm.allocWindow(...)`;
}

/** In a page `window` exists, so that editors do not notice a forgotten import. */
function importHint(error: unknown): string | undefined {
  return error instanceof ReferenceError && error.message === 'window is not defined'
    ? "  = help: the type of a parameter is windowParam: import { windowParam } from 'nccl-ts'"
    : undefined;
}

function headline(error: unknown, colors: Colors): string {
  if (isNcclError(error)) return `${colors.red(`error[${error.code}]:`)} ${messageOf(error, colors)}`;
  if (!(error instanceof Error)) return `${colors.red('error:')} ${String(error)}`;
  const named = ['Error', 'UsageError', 'WriteError', 'TransformError'].includes(error.name) ? '' : `${error.name}: `;
  return `${colors.red('error:')} ${named}${error.message}`;
}

/** Formats faults and deadlocks in colour, like compile errors. */
function messageOf(error: NcclError, colors: Colors): string {
  if (error instanceof FaultError) return colors.rendered((options) => renderFault(error.report, options));
  if (error instanceof DeadlockError) return colors.rendered((options) => renderDeadlock(error.report, options));
  if (error.code === 'NCCLTS_TODO') return colors.rendered((options) => todoText(error, options));
  return error.message;
}

/**
 * Returns the stack's frames in the user's file. If there are none, it returns those outside Node
 * and installed packages.
 */
function userFrames({ cause, file }: ModuleError): readonly string[] {
  if (!(cause instanceof Error)) return [];
  const frames = (cause.stack ?? '').split('\n').filter((line) => /^\s+at /.test(line));
  const own = frames.filter((frame) => frame.includes(file));
  if (own.length > 0 || isNcclError(cause)) return own;
  return frames.filter((frame) => !frame.includes('node:') && !frame.includes('node_modules'));
}
