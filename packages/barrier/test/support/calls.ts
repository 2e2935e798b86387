import { printModule, walkBody, type Statement } from '@nccl-ts/ir';
import { analyseKernel, type Kernel } from '@nccl-ts/kernel';

/** A call of a session's constructor, method or destructor, with the words that it is given. */
export interface SessionCall {
  readonly name: string;
  readonly session: number;
  readonly words: Readonly<Record<string, string>>;
}

/** Every call that a kernel makes of a session, in the order of the text; those in the body of another come after it. */
export function sessionCalls(of: Pick<Kernel, 'compile'>): readonly SessionCall[] {
  const found: SessionCall[] = [];
  walkBody(of.compile().body, {
    statement: (statement: Statement) => {
      if (statement.kind !== 'call' || statement.session === undefined) return;
      const words = statement.statics.flatMap((entry) => (entry.kind === 'word' ? [[entry.name, entry.word]] : []));
      found.push({ name: statement.name, session: statement.session, words: Object.fromEntries(words) });
    },
  });
  return found;
}

/** The same as lines: `lsa.barrierSession.sync 1 release`. */
export function lines(of: Pick<Kernel, 'compile'>): readonly string[] {
  return sessionCalls(of).map(({ name, session, words }) => [name, session, ...Object.values(words)].join(' '));
}

/** The statements of a kernel, as the printer writes them. */
export function printed(of: Pick<Kernel, 'compile'>): string {
  const text = printModule(of.compile());
  return text.slice(text.indexOf('{\n'));
}

/** What is wrong with a kernel. */
export function messages(of: Pick<Kernel, 'name' | 'use' | 'params' | 'body'>): readonly string[] {
  const result = analyseKernel(of);
  return result.ok ? [] : result.diagnostics.map(({ code, message }) => `${code} ${message}`);
}
