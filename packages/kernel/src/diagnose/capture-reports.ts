import type { Diagnostic, Repair, Span } from '@nccl-ts/ir';
import { error } from './diagnostic.ts';
import { removed, replaced } from './repairs.ts';

const deepNesting = {
  expressions: {
    message: 'the kernel is nested too deeply to be compiled',
    hint: 'split the expression with const declarations',
  },
  branches: {
    message: 'the kernel is nested too deeply to be compiled: each early exit makes a branch of everything after it',
    hint: 'join the conditions (if (a || b) return;), or move some of the exits into a device function',
  },
} as const;

/** K10xx: the captured text is not a kernel's. */
export const captureReports = {
  syntax(span: Span, reason: string): Diagnostic {
    return error('K1001', span, {
      message: `the captured text does not parse: ${reason}`,
      label: 'here',
      hint: 'kernels are captured with fn.toString(): check what the build tool made of this function',
    });
  },
  notAFunction(span: Span): Diagnostic {
    return error('K1002', span, {
      message: 'the captured text is not a plain function',
      hint: 'pass an arrow function: kernel({ ... }, ({ ... }, { ... }) => { ... })',
    });
  },
  nativeFunction(span: Span): Diagnostic {
    return error('K1003', span, {
      message: 'a native or bound function has no text to capture',
      hint: 'pass the arrow function itself, not the result of .bind() or a built-in',
    });
  },
  tooDeep(span: Span, what: keyof typeof deepNesting = 'expressions'): Diagnostic {
    return error('K1004', span, deepNesting[what]);
  },
  freeIdentifier(span: Span, name: string, isCalled = false): Diagnostic {
    const bundled = /^__vi|^__vite|^_?import_/.test(name);
    const pass = `pass it through \`use\`: ({ use: { ${name} }, ... }, ({ ${name} }, ...) => ...)`;
    return error('K1005', span, {
      message: `'${name}' is not defined inside the kernel`,
      label: 'a kernel can use only its two parameters',
      hint: bundled
        ? 'this name refers to an import: take built-ins from the first parameter, and pass everything else through `use`'
        : isCalled
          ? `make a device function of it, and ${pass}\nconst ${name} = deviceFn({ name: '${name}' }, (_context, ...) => ...)`
          : pass,
    });
  },
  builtinNotTaken(span: Span, name: string, repair?: Repair): Diagnostic {
    return error('K1006', span, {
      message: `'${name}' is a built-in that this function has not taken`,
      label: 'it is not among the destructured names',
      hint: `add it to the first parameter: ({ ${name}, ... }, ...) => ...`,
      repair,
    });
  },
  instrumented(span: Span, name: string): Diagnostic {
    return error('K1007', span, {
      message: `a coverage tool has rewritten the kernel ('${name}')`,
      hint: "use a tool that leaves the text alone, such as v8 coverage (vitest: coverage.provider = 'v8')",
    });
  },
  hostGlobal(span: Span, name: string, instead: string, repair?: Repair): Diagnostic {
    return error('K1008', span, {
      message: `'${name}' belongs to the host; kernels do not run there`,
      hint: instead,
      repair,
    });
  },
  /** `words`: the words that make it async, each with the blanks after it. */
  asyncBody(span: Span, words: readonly Span[] = []): Diagnostic {
    return error('K1009', span, {
      message: 'a kernel cannot be async',
      hint: 'to wait for other threads or ranks use a barrier or waitUntil(() => condition)',
      repair: words.length === 0 ? undefined : removed(words, 'Remove async and await.'),
    });
  },
  generatorBody(span: Span): Diagnostic {
    return error('K1010', span, { message: 'a kernel cannot be a generator', hint: 'write a plain arrow function' });
  },
  awaitExpression(span: Span): Diagnostic {
    return error('K1011', span, {
      message: '`await` is not in the kernel language',
      hint: 'to wait for other threads or ranks use a barrier or waitUntil(() => condition)',
    });
  },
  switchStatement(span: Span): Diagnostic {
    return error('K1012', span, { message: '`switch` is not in the kernel language', hint: 'write if / else if' });
  },
  exception(span: Span, what: string): Diagnostic {
    return error('K1013', span, {
      message: `${what}: kernels have no exceptions`,
      hint: "to stop a faulty run, use assert(condition, 'text')",
    });
  },
  classDefinition(span: Span): Diagnostic {
    return error('K1014', span, {
      message: 'classes are not in the kernel language',
      hint: 'device packages define stateful objects with deviceSession(...)',
    });
  },
  labelled(span: Span): Diagnostic {
    return error('K1015', span, {
      message: 'labels are not in the kernel language',
      hint: 'move the inner loop into a device function and return from it',
    });
  },
  forIn(span: Span): Diagnostic {
    return error('K1016', span, {
      message: '`for (... in ...)` is not in the kernel language',
      hint: 'count: for (let i = 0; i < n; i++)',
    });
  },
  forOf(span: Span): Diagnostic {
    return error('K1017', span, {
      message: '`for (... of ...)` works only with unroll(n)',
      label: 'not unroll(n)',
      hint: 'write for (const i of unroll(4)) with a constant, or for (let i = 0; i < n; i++)',
    });
  },
  withStatement(span: Span): Diagnostic {
    return error('K1018', span, {
      message: '`with` is not in the kernel language',
      hint: 'name the object: options.team',
    });
  },
  debuggerStatement(span: Span): Diagnostic {
    return error('K1019', span, {
      message: 'the kernel text is compiled, not run, so `debugger` cannot stop in it',
      hint: 'use print(...) on the simulator',
    });
  },
  usingDeclaration(span: Span): Diagnostic {
    return error('K1020', span, {
      message: '`using` is not in the kernel language',
      hint: 'write const: a session ends with its block by itself',
    });
  },
  newExpression(span: Span): Diagnostic {
    return error('K1021', span, {
      message: '`new` is not in the kernel language',
      hint: 'plain calls create sessions and groups',
    });
  },
  thisExpression(span: Span): Diagnostic {
    return error('K1022', span, {
      message: '`this` has no meaning in a kernel',
      hint: 'take the value from one of the two parameters',
    });
  },
  templateLiteral(span: Span): Diagnostic {
    return error('K1023', span, {
      message: 'strings cannot be built in a kernel',
      hint: "print takes several arguments: print('rank', comm.rank)",
    });
  },
  regularExpression(span: Span): Diagnostic {
    return error('K1024', span, {
      message: 'regular expressions are not in the kernel language',
      hint: 'kernels compute with numbers; strings only name orders and scopes and label what print shows',
    });
  },
  arrayLiteral(span: Span): Diagnostic {
    return error('K1025', span, {
      message: 'JavaScript arrays are not in the kernel language',
      hint: 'use localArray(f32, 4), sharedArray(f32, 4) or a vector: vec(f32, 4)(a, b, c, d)',
    });
  },
  spread(span: Span): Diagnostic {
    return error('K1026', span, { message: '`...` is not in the kernel language', hint: 'name each argument' });
  },
  /** `dot`: the text that replaces `?.`. */
  optionalChaining(span: Span, dot?: string): Diagnostic {
    return error('K1027', span, {
      message: '`?.` is not in the kernel language: no value in a kernel is null',
      hint: 'write `.`',
      repair: dot === undefined ? undefined : replaced(span, dot, 'Remove the question mark.'),
    });
  },
  operator(span: Span, operator: string, hint: string): Diagnostic {
    return error('K1028', span, { message: `\`${operator}\` is not in the kernel language`, hint });
  },
  unsignedShift(span: Span): Diagnostic {
    return error('K1029', span, {
      message: '`>>>` is not in the kernel language: `>>` shifts according to the signedness of its left operand',
      hint: 'shift an unsigned value: u32(x) >> n',
    });
  },
  defaultValue(span: Span): Diagnostic {
    return error('K1030', span, {
      message: 'default values are not in the kernel language',
      hint: 'pass the value at the call',
    });
  },
  restElement(span: Span): Diagnostic {
    return error('K1031', span, {
      message: 'rest elements are not in the kernel language',
      hint: 'name each parameter or member',
    });
  },
  objectLiteral(span: Span): Diagnostic {
    return error('K1032', span, {
      message: 'kernels do not support this form of object literal',
      label: 'only plain names with values or arrow functions are allowed',
      hint: 'objects serve as options ({ team }) and as groups of your own ({ threadRank, size, sync })',
    });
  },
  assignmentTarget(span: Span): Diagnostic {
    return error('K1033', span, { message: 'this cannot be assigned to', hint: 'assign to a let variable or to p[i]' });
  },
  metaProperty(span: Span): Diagnostic {
    return error('K1034', span, {
      message: 'imports and meta properties are not in the kernel language',
      hint: 'pass it through `use`',
    });
  },
  nullValue(span: Span, what: string): Diagnostic {
    return error('K1035', span, {
      message: `kernels do not support \`${what}\``,
      hint: 'every value in a kernel has a type; leave out optional arguments',
    });
  },
  computedName(span: Span): Diagnostic {
    return error('K1036', span, {
      message: 'access members by literal names',
      label: 'a computed name',
      hint: 'write ({ lsa, threadIdx }, { comm, win }) => { ... }',
    });
  },
  forOfName(span: Span): Diagnostic {
    return error('K1037', span, {
      message: 'unroll(n) gives one number for each iteration',
      label: 'not the declaration of one name',
      hint: 'write for (const i of unroll(4))',
    });
  },
};
