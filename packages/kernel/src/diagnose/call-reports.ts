import type { Diagnostic, Repair, Span } from '@nccl-ts/ir';
import { error, listed, nearest, oneOf } from './diagnostic.ts';
import { meant } from './repairs.ts';
import { usageOf } from './usage.ts';

/** K11xx: names, calls, variables. */
export const callReports = {
  /** `advice` says more of what may have been meant than the names of the members. */
  unknownMember(
    span: Span,
    owner: string,
    name: string,
    known: readonly string[],
    advice?: string,
    repair?: Repair,
  ): Diagnostic {
    const near = nearest(name, known);
    const all = known.length > 0 ? `it has ${listed(known)}` : 'it has no members';
    return error('K1101', span, {
      message: `${owner} has no member '${name}'`,
      hint: near === undefined ? (advice ?? all) : `did you mean '${near}'?`,
      repair: near === undefined ? repair : meant(span, near),
    });
  },
  notCallable(span: Span, what: string): Diagnostic {
    return error('K1102', span, {
      message: `${what} cannot be called`,
      hint: 'call a built-in, a device function passed through `use`, or an arrow function',
    });
  },
  argumentCount(span: Span, name: string, given: number, allowed: string, usage: string): Diagnostic {
    return error('K1103', span, { message: `${name} takes ${allowed}, given ${given}`, hint: `write ${usage}` });
  },
  argumentKind(span: Span, name: string, param: string, wanted: string, given: string): Diagnostic {
    return error('K1104', span, {
      message: `${name}: '${param}' must be ${wanted}`,
      label: `this is ${given}`,
      hint: `pass ${wanted}`,
    });
  },
  unknownWord(span: Span, name: string, param: string, word: string, allowed: readonly string[]): Diagnostic {
    const near = nearest(word, allowed);
    return error('K1105', span, {
      message: `${name}: '${param}' cannot be '${word}'`,
      hint: near === undefined ? `allowed: ${oneOf(allowed)}` : `did you mean '${near}'? allowed: ${oneOf(allowed)}`,
      repair: near === undefined ? undefined : meant(span, `'${near}'`),
    });
  },
  noOverload(span: Span, name: string, reason: string, hint: string): Diagnostic {
    return error('K1125', span, { message: `${name}: ${reason}`, hint });
  },
  unknownOption(span: Span, name: string, option: string, allowed: readonly string[]): Diagnostic {
    const near = nearest(option, allowed);
    const all = allowed.length === 0 ? 'it has no options' : `options: ${oneOf(allowed)}`;
    return error('K1106', span, {
      message: `${name} has no option '${option}'`,
      hint: near === undefined ? all : `did you mean '${near}'?`,
      repair: near === undefined ? undefined : meant(span, near),
    });
  },
  useValue(span: Span, name: string, what: string): Diagnostic {
    const local = name.slice(name.lastIndexOf('.') + 1);
    return error('K1107', span, {
      message: `cannot pass '${name}' through \`use\`: it is ${what}`,
      hint:
        what === 'a plain function'
          ? `make a device function of it: const ${local} = deviceFn({ name: '${local}' }, (_context, ...) => ...)`
          : 'pass numbers, booleans, strings, types (f32), device functions (deviceFn) or device modules (lsa)',
    });
  },
  useShadows(span: Span, name: string): Diagnostic {
    return error('K1108', span, {
      message: `\`use\` names '${name}', which is a built-in`,
      hint: 'pass it under another name',
    });
  },
  paramType(span: Span, name: string): Diagnostic {
    return error('K1109', span, {
      message: `parameter '${name}' has a type that kernels do not support`,
      hint: 'params: { comm: devCommParam, win: windowParam, offset: u64, count: u32 }',
    });
  },
  recursion(span: Span, name: string): Diagnostic {
    return error('K1110', span, {
      message: `'${name}' calls itself, but device functions are inlined, so they cannot recurse`,
      hint: 'write a loop',
    });
  },
  assignToConstant(span: Span, name: string): Diagnostic {
    return error('K1111', span, {
      message: `'${name}' cannot be assigned to: it is constant`,
      hint: `declare a variable: let x = ${name}`,
    });
  },
  noValueYet(span: Span, name: string): Diagnostic {
    return error('K1112', span, {
      message: `'${name}' has no value yet`,
      label: 'read before its first assignment',
      hint: `give it a value where it is declared: let ${name} = f32(0)`,
    });
  },
  needsConstant(span: Span, what: string): Diagnostic {
    return error('K1113', span, {
      message: `${what} must be a compile-time constant`,
      label: 'this is known only at run time',
      hint: 'pass a constant through `use`',
    });
  },
  wholeNumber(span: Span, what: string, given: string): Diagnostic {
    return error('K1124', span, { message: `${what} must be a whole number, not ${given}`, hint: 'write one: 4' });
  },
  tooLarge(span: Span, what: string, limit: number | string): Diagnostic {
    return error('K1114', span, {
      message: `${what} is larger than ${limit}`,
      hint: 'use a loop that counts at run time',
    });
  },
  sessionCopied(span: Span): Diagnostic {
    return error('K1115', span, {
      message: 'a session cannot be copied, reassigned, returned or chosen at run time',
      hint: 'declare it once with const and call its methods there',
    });
  },
  returnsInconsistently(span: Span, name: string): Diagnostic {
    return error('K1116', span, {
      message: `'${name}' returns a value on some paths but not on others`,
      hint: 'return a value on every way, or on none',
    });
  },
  kernelReturnsValue(span: Span): Diagnostic {
    return error('K1117', span, { message: 'a kernel cannot return a value', hint: 'write results to a window' });
  },
  assignsOuter(span: Span, name: string): Diagnostic {
    return error('K1118', span, {
      message: `'${name}' lives outside of this function: functions in a kernel do not change what they close over`,
      hint: 'return the value and assign it at the call',
    });
  },
  dynamicMember(span: Span): Diagnostic {
    return error('K1119', span, {
      message: 'members are accessed by name',
      label: 'only pointers can be indexed',
      hint: 'write object.name',
    });
  },
  missingMember(span: Span, struct: string, name: string): Diagnostic {
    return error('K1120', span, {
      message: `${struct}: '${name}' is missing`,
      hint: `give every member: ${struct}({ ${name}, ... })`,
    });
  },
  functionAlone(span: Span, name: string): Diagnostic {
    return error('K1121', span, {
      message:
        name === 'function'
          ? 'a function is not a value at run time'
          : `'${name}' is a function, which is not a value at run time`,
      hint: name === 'function' ? 'name it and call it: const f = (x) => ...' : `call it: ${usageOf(name)}`,
    });
  },
  sessionAssignsFixed(span: Span, name: string): Diagnostic {
    return error('K1122', span, {
      message: `session state '${name}' is fixed: only the constructor binds it, once`,
      hint: `give it a type to assign it any time: state: { ${name}: u32 }`,
    });
  },
  noForm(span: Span, name: string, given: readonly string[], usages: readonly string[]): Diagnostic {
    return error('K1126', span, {
      message: `no form of ${name} takes these arguments`,
      label: given.length === 0 ? 'there are none' : `these are ${given.join(', ')}`,
      notes: usages.map((usage) => `there is ${usage}`),
      hint: 'pass the arguments of one of these forms',
    });
  },
  unrollAlone(span: Span): Diagnostic {
    return error('K1123', span, {
      message: 'unroll(n) is not a value: use it in the head of a loop',
      hint: 'write for (const i of unroll(4)) { ... }',
    });
  },
};
