import { printModule, walkBody, type Body, type CallStatement } from '@nccl-ts/ir';
import { analyseKernel, type Kernel } from '@nccl-ts/kernel';

/** The statements in the two arms of a branch. */
interface Branch {
  readonly condition: string;
  readonly then: readonly string[];
  readonly else: readonly string[];
}

/**
 * Every call of a session's constructor, method or destructor, with its word arguments, in the
 * order of the text: `lsa.barrierSession.sync 1 release`. Calls in the body of another call come
 * after it.
 */
export function sessionLines(of: Pick<Kernel, 'compile'>): readonly string[] {
  return linesOf(of.compile().body);
}

/** The branches at the top of the only call of `name`, and the sessions' calls in their arms. */
export function branchesOf(of: Pick<Kernel, 'compile'>, name: string): readonly Branch[] {
  const found: Branch[] = [];
  const text = printed(of);
  walkBody(of.compile().body, {
    statement: (statement) => {
      if (statement.kind !== 'call' || statement.name !== name) return;
      for (const one of statement.body ?? []) {
        if (one.kind !== 'if') continue;
        const at = text.indexOf(`call ${name}`);
        const condition = /if \((.*)\) \{/.exec(text.slice(at))?.[1] ?? '';
        found.push({ condition, then: linesOf(one.then), else: linesOf(one.else) });
      }
    },
  });
  return found;
}

/** The statements of a kernel, as the printer writes them. */
export function printed(of: Pick<Kernel, 'compile'>): string {
  const text = printModule(of.compile());
  return text.slice(text.indexOf('{\n'));
}

/** The errors of a kernel. */
export function messages(of: Pick<Kernel, 'name' | 'use' | 'params' | 'body'>): readonly string[] {
  const result = analyseKernel(of);
  return result.ok ? [] : result.diagnostics.map(({ code, message }) => `${code} ${message}`);
}

function linesOf(body: Body): readonly string[] {
  const found: string[] = [];
  walkBody(body, {
    statement: (statement) => {
      if (statement.kind === 'call' && statement.session !== undefined) found.push(lineOf(statement));
    },
  });
  return found;
}

function lineOf({ name, session, statics }: CallStatement): string {
  const words = statics.flatMap((entry) => (entry.kind === 'word' ? [entry.word] : []));
  return [name, session, ...words].join(' ');
}
