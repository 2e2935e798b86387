import type { PtxFunction, PtxModule, PtxVariable } from '../syntax/module.ts';

/**
 * The addresses of functions have this number in their top byte, so that they are none of memory,
 * and the number of the function in the bytes below.
 */
const TAG = 3n << 56n;
const DISTANCE = 16n;

/** The functions of a text whose addresses it takes. */
export interface FunctionAddresses {
  /** The names, in the order of their addresses. */
  readonly names: readonly string[];
  /** The address of a function, or `undefined` if the text does not take it. */
  of(name: string): bigint | undefined;
}

/** The address of function number `index`. The first one is not 0, which is a null pointer. */
export function addressOfFunction(index: number): bigint {
  return TAG + DISTANCE * BigInt(index + 1);
}

const known = new WeakMap<PtxModule, FunctionAddresses>();

/** Finds the functions in the initialisers of variables, and among the operands of instructions. */
export function functionAddresses(module: PtxModule): FunctionAddresses {
  const found = known.get(module) ?? find(module);
  known.set(module, found);
  return found;
}

function find(module: PtxModule): FunctionAddresses {
  const functions = new Set(module.functions.map(({ name }) => name));
  const taken = new Set<string>();
  const take = (name: string): void => {
    if (functions.has(name)) taken.add(name);
  };
  const variables = [...module.variables, ...module.functions.flatMap(({ body }) => body?.variables ?? [])];
  for (const { initial } of variables) for (const { symbol } of initial?.addresses ?? []) take(symbol);
  for (const { body } of module.functions) takeOperands(body?.items ?? [], take);
  const names = [...taken];
  const addresses = new Map(names.map((name, index) => [name, addressOfFunction(index)]));
  return { names, of: (name) => addresses.get(name) };
}

function takeOperands(items: NonNullable<PtxFunction['body']>['items'], take: (name: string) => void): void {
  for (const item of items) {
    if (item.kind === 'label' || !mayTakeAddress(item.words[0])) continue;
    for (const operand of item.operands) if (operand.kind === 'symbol') take(operand.name);
  }
}

/** True for opcodes whose symbols are not called or jumped to. */
export function mayTakeAddress(opcode: string): boolean {
  return opcode !== 'call' && opcode !== 'bra' && opcode !== 'brx';
}

/** The module with the addresses of functions as bytes of the variables that they initialise. */
export function withFunctionAddresses(module: PtxModule): PtxModule {
  const made = resolvedModules.get(module) ?? resolved(module);
  resolvedModules.set(module, made);
  return made;
}

const resolvedModules = new WeakMap<PtxModule, PtxModule>();

function resolved(module: PtxModule): PtxModule {
  const addresses = functionAddresses(module);
  if (addresses.names.length === 0) return module;
  const inVariable = (variable: PtxVariable): PtxVariable => resolvedVariable(variable, addresses);
  const made: PtxModule = {
    ...module,
    variables: module.variables.map(inVariable),
    functions: module.functions.map((fn) =>
      fn.body === undefined ? fn : { ...fn, body: { ...fn.body, variables: fn.body.variables.map(inVariable) } },
    ),
  };
  known.set(made, addresses);
  return made;
}

function resolvedVariable(variable: PtxVariable, addresses: FunctionAddresses): PtxVariable {
  const { initial } = variable;
  if (initial === undefined || initial.addresses.every(({ symbol }) => addresses.of(symbol) === undefined)) {
    return variable;
  }
  const bytes = Uint8Array.from(initial.bytes);
  const view = new DataView(bytes.buffer);
  const left = initial.addresses.filter(({ at, symbol, offset }) => {
    const address = addresses.of(symbol);
    if (address !== undefined) view.setBigUint64(at, BigInt.asUintN(64, address + offset), true);
    return address === undefined;
  });
  return { ...variable, initial: { bytes, addresses: left } };
}
