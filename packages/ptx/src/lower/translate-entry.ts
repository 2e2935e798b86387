import type { Module } from '@nccl-ts/ir';
import type { CallMap } from '../call-map.ts';
import type { PtxDiagnostic } from '../syntax/diagnostic.ts';
import { removeDeadLocals } from '../flow/dead-locals.ts';
import { withFunctionAddresses } from '../flow/function-addresses.ts';
import { inlineCalls, type InlinedBody } from '../flow/inline-calls.ts';
import type { ImportedParam, ImportOptions } from '../import-options.ts';
import { structureFlow } from '../structure/structure-flow.ts';
import { plainName } from '../syntax/demangle.ts';
import type { PtxBody, PtxFunction, PtxInstruction, PtxModule } from '../syntax/module.ts';
import { addressRoles, type AddressRoles, type SpaceOfSymbol } from './address-roles.ts';
import { nameUnknownUses } from './unknown-values.ts';
import { dropUnusedLocals } from './unused-locals.ts';
import { barrierUses } from './barrier-uses.ts';
import { DeviceCalls } from './device-calls.ts';
import { clusterOfEntry } from './cluster-of-entry.ts';
import { lowerAsyncStore } from './effects/async-stores.ts';
import { isClusterBarrier } from './effects/cluster-barrier.ts';
import { directiveErrors } from './entry-directives.ts';
import { weakSpinWarnings, withoutLines } from './entry-warnings.ts';
import { mnemonic } from './instruction-parts.ts';
import { foldKnown, loadedParam } from './known-values.ts';
import { lowerAddress } from './lower-addresses.ts';
import { lowerFlow } from './lower-flow.ts';
import { InstructionLowering } from './lower-instruction.ts';
import { instructionFidelity, instructionRow, keepsCall, special } from './instruction-table.ts';
import { nameApproximations } from './lowering.ts';
import { layoutMemory } from './memory-layout.ts';
import { lowerAccess } from './memory-access.ts';
import { ModuleBuilder } from './module-builder.ts';
import { nestingOf } from '../structure/nesting-of.ts';
import { offsetForms } from './offsets.ts';
import { paramOffsets, ParamMemory } from './param-memory.ts';
import { paramRanges } from './param-ranges.ts';
import { registerKinds } from './register-kinds.ts';
import { Registers } from './registers.ts';
import { removeDuplicates } from './remove-duplicates.ts';
import { settleSignals } from './settle-signals.ts';
import { foldSpaceTests, lowerSpaceTest } from './space-tests.ts';
import type { Spans } from '../source/spans-of.ts';

/** An entry as IR. If the diagnostics contain errors, the module lacks the corresponding parts. */
export interface TranslatedModule {
  readonly module: Module;
  readonly params: readonly ImportedParam[];
  readonly diagnostics: readonly PtxDiagnostic[];
}

export type TranslateOptions = Pick<
  ImportOptions,
  'known' | 'ranges' | 'multicast' | 'dynamicShared' | 'cluster' | 'calls'
>;

/** The most labels of an entry, those of its functions included. */
const MOST_LABELS = 30_000;

/** The most statements inside each other. Passes over code recurse into each level. */
const MOST_NESTING = 1000;

const nothingKnown: ReadonlyMap<number, bigint> = new Map();
const noRanges: ReadonlySet<number> = new Set();
const noCalls: CallMap = new Map();

export function translateEntry(
  given: PtxModule,
  givenEntry: PtxFunction,
  spans: Spans,
  { known = nothingKnown, ranges = noRanges, multicast, dynamicShared = 0, cluster, calls = noCalls }: TranslateOptions,
): TranslatedModule {
  const ptx = withFunctionAddresses(given);
  const entry = ptx.functions[given.functions.indexOf(givenEntry)] ?? givenEntry;
  const inlined = withinBlockLimit(
    inlineCalls(ptx, entry, (name) => keepsCall(name) || calls.has(name)),
    entry,
  );
  const callVariables = inlined.variables.filter(({ space }) => space === 'param');
  const offsets = paramOffsets(entry.params);
  const specialized = foldKnown(inlined, known, paramRanges(inlined, entry.params, callVariables), offsets);
  const rolesIn = (one: PtxBody): AddressRoles => {
    const loaded = paramRanges(one, entry.params, callVariables);
    const loadsRange = (item: PtxInstruction): boolean => {
      const at = ranges.size === 0 ? undefined : loadedParam(item, loaded, offsets);
      return at !== undefined && ranges.has(at);
    };
    return addressRoles(
      one,
      registerKinds(one),
      spaceIn(ptx, one, (name) => offsets.has(name)),
      loadsRange,
    );
  };
  const clusters = clusterOfEntry(entry, cluster);
  const body = foldSpaceTests(specialized, rolesIn, clusters.size);
  const rangesOfParams = paramRanges(body, entry.params, callVariables);
  const layout = layoutMemory(ptx, body, entry.params, rangesOfParams, dynamicShared);
  const span = spans.of(entry);
  const usesCluster = body.items.some((item) => item.kind === 'instruction' && isClusterBarrier(item));
  const size = clusters.size ?? (usesCluster ? { x: 1, y: 1, z: 1 } : undefined);
  const builder = new ModuleBuilder(layout, span, multicast, clusters.size);
  const kinds = registerKinds(body);
  const roles = rolesIn(body);
  const registers = new Registers(builder, kinds, roles, offsetForms(body, kinds, roles));
  const lowering = new InstructionLowering(builder, registers, barrierUses(body.items), special);
  const params = new ParamMemory(builder, entry.params, rangesOfParams);
  const deviceCalls = new DeviceCalls(calls, body, params);
  const straight = (instruction: PtxInstruction): void => {
    const [d] = instruction.operands;
    if (d?.kind === 'register' && rangesOfParams.isFollowed(d.name)) return;
    if (instruction.words[0] === 'call' && deviceCalls.lower(instruction, lowering)) return;
    lowerStraight(instruction, lowering, params);
  };
  const flow = removeDeadLocals(lowerFlow(body, spans, lowering, straight, params.prologue(span)));
  const structured = structureFlow(flow, builder);
  const diagnostics = [
    ...directiveErrors(entry),
    ...clusters.diagnostics,
    ...inlined.diagnostics,
    ...builder.diagnostics,
    ...withoutLines(inlined, entry),
  ];
  if ('irreducible' in structured) {
    diagnostics.push({
      code: 'P4001',
      severity: 'error',
      message: `${entry.name} jumps into the middle of a loop`,
      help: 'compile it without jumps into loops: structured code does not produce them',
      span: entry.span,
    });
  } else diagnostics.push(...weakSpinWarnings(structured.weakSpins, entry, builder));
  let code = 'irreducible' in structured ? [] : structured.body;
  if (nestingOf(code) > MOST_NESTING) {
    diagnostics.push(tooLarge(entry, `nests branches and loops more than ${MOST_NESTING} deep`));
    code = [];
  }
  const named = nameUnknownUses([...builder.prologue(), ...settleSignals(code)], builder.unknown);
  const whole = dropUnusedLocals(named, builder.locals);
  return {
    module: {
      name: plainName(entry.name),
      ...(size === undefined ? {} : { cluster: size }),
      params: builder.params,
      locals: whole.locals,
      arrays: builder.arrays,
      body: whole.body,
      sources: spans.sources,
    },
    params: builder.imported,
    diagnostics: removeDuplicates(diagnostics),
  };
}

/** Replaces the code of an entry with too many basic blocks by an error. */
function withinBlockLimit(inlined: InlinedBody, entry: PtxFunction): InlinedBody {
  const labels = inlined.items.filter(({ kind }) => kind === 'label').length;
  if (labels <= MOST_LABELS) return inlined;
  const error = tooLarge(entry, `has ${labels} labels, and at most ${MOST_LABELS} are translated`);
  return { ...inlined, items: [], diagnostics: [...inlined.diagnostics, error] };
}

function tooLarge(entry: PtxFunction, what: string): PtxDiagnostic {
  return {
    code: 'P4003',
    severity: 'error',
    message: `${entry.name} ${what}`,
    help: 'check a smaller instance of its template, or unroll less',
    span: entry.span,
  };
}

/**
 * The state spaces of the variables of a text: those of the body and of the module, and the
 * parameters of the entry.
 */
function spaceIn({ variables }: PtxModule, body: PtxBody, isParam: (name: string) => boolean): SpaceOfSymbol {
  // The address of an argument of a call is unknown, so it may be any.
  const own = body.variables.filter(({ space }) => space !== 'param');
  const spaces = new Map([...variables, ...own].map(({ name, space }) => [name, space]));
  return (name) => {
    const space = spaces.get(name);
    return space === 'const' ? 'global' : (space ?? (isParam(name) ? 'param' : undefined));
  };
}

function lowerStraight(instruction: PtxInstruction, lowering: InstructionLowering, params: ParamMemory): void {
  const [opcode] = instruction.words;
  const hasMore = instruction.operands.some((one) => one.kind === 'address' && one.more !== undefined);
  if (hasMore && !instruction.words.includes('tensor')) {
    return lowering.fail(
      'P2001',
      `${mnemonic(instruction)} has coordinates of a tensor or a texture, which are not supported`,
    );
  }
  const fidelity = instructionFidelity(opcode);
  if (fidelity !== undefined) nameApproximations(instruction, fidelity, lowering);
  if (opcode === 'st' && instruction.words[1] === 'async') return lowerAsyncStore(instruction, lowering);
  if (opcode === 'ld' || opcode === 'ldu' || opcode === 'st') return lowerAccess(instruction, lowering, params);
  if (opcode === 'isspacep') return lowerSpaceTest(instruction, lowering);
  if (lowerAddress(instruction, lowering)) return;
  const row = instructionRow(opcode);
  if (row !== undefined) return row.lower(instruction, lowering);
  lowering.fail('P2001', `${mnemonic(instruction)} is not supported`);
}
