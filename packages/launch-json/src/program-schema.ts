import * as z from 'zod/mini';
import { elementNames, PROGRAM_FORMAT, PROGRAM_VERSION, type ProgramJson } from './program-json.ts';

const index = z.int().check(z.nonnegative());
const positive = z.int().check(z.positive());
const text = z.string();
const name = z.string().check(z.minLength(1));
const base64 = z.base64();
const integer = z.union([z.int(), z.string().check(z.regex(/^-?\d+$/))]);
const number = z.union([z.number(), z.string().check(z.regex(/^(NaN|-?Infinity|-0|-?\d+)$/))]);
const byRank = z.union([text, z.array(z.nullable(text))]);
const extent = z.union([positive, z.strictObject({ x: positive, y: z.optional(positive), z: z.optional(positive) })]);
const known = z.record(z.string().check(z.regex(/^\d+$/)), integer);

const address = {
  memory: name,
  rank: z.optional(z.union([index, z.literal('multicast')])),
  offset: z.optional(index),
};
const placedAddress = z.strictObject({
  ...address,
  at: index,
  part: z.optional(z.enum(['whole', 'above 4 GiB', 'page below 4 GiB'])),
});
const placedField = z.strictObject({
  at: index,
  field: z.union([name, z.strictObject({ resource: index })]),
  bytes: z.union([z.literal(4), z.literal(8)]),
});
const placed = { addresses: z.optional(z.array(placedAddress)), fields: z.optional(z.array(placedField)) };
const bytes = z.strictObject({ base64, ...placed });

/** The harness checks that the parts of a tensor map fit each other. */
const tensorMap = z.strictObject({
  base: z.strictObject(address),
  type: z.enum(['u8', 'u16', 'u32', 'i32', 'u64', 'i64', 'f16', 'f32', 'f64', 'bf16']),
  shape: z.array(positive),
  strides: z.optional(z.array(positive)),
  box: z.array(positive),
  swizzle: z.optional(z.enum(['none', '32B', '64B', '128B'])),
});

const argument = z.union([
  number,
  z.null(),
  z.strictObject({ tensorMap }),
  z.strictObject(address),
  z.strictObject({ base64, ...placed, known: z.optional(known), ranges: z.optional(z.array(index)) }),
]);
const args = z.array(argument);

const contents = z.union([
  z.literal('uninitialised'),
  z.strictObject({ base64: z.optional(base64), ...placed }),
  z.strictObject({ values: z.array(number) }),
]);

const expected = {
  memory: name,
  from: z.optional(index),
  values: z.optional(z.array(number)),
  base64: z.optional(base64),
  tolerance: z.optional(z.number().check(z.nonnegative())),
};

const onStream = { stream: z.optional(index) };
const located = { ...onStream, location: z.optional(text) };
const wordBytes = z.optional(z.union([z.literal(4), z.literal(8)]));
const place = z.strictObject(address);
const event = z.strictObject({ kind: z.enum(['record', 'waitEvent']), event: index, ...onStream });

const step = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('launch'),
    kernel: name,
    args,
    grid: z.optional(extent),
    block: z.optional(extent),
    ...onStream,
  }),
  z.strictObject({ kind: z.literal('memcpy'), to: place, from: place, bytes: positive, ...located }),
  z.strictObject({ kind: z.literal('memset'), to: place, value: index, bytes: positive, ...located }),
  z.strictObject({ kind: z.literal('writeWord'), to: place, value: integer, bytes: wordBytes, ...located }),
  z.strictObject({
    kind: z.literal('waitWord'),
    from: place,
    value: integer,
    condition: z.optional(z.enum(['geq', 'eq', 'and', 'nor'])),
    bytes: wordBytes,
    ...located,
  }),
  event,
  z.strictObject({ kind: z.literal('write'), memory: name, offset: z.optional(index), contents: bytes }),
  z.strictObject({ kind: z.literal('synchronize'), stream: z.optional(index) }),
  z.strictObject({ kind: z.literal('barrier') }),
  z.strictObject({ kind: z.literal('expect'), ...expected }),
]);

const kernel = z.strictObject({
  text: byRank,
  entry: byRank,
  grid: extent,
  block: extent,
  cluster: z.optional(extent),
  programmatic: z.optional(z.boolean()),
  dynamicShared: z.optional(index),
  known: z.optional(known),
});

const rank = z.strictObject({
  args: z.optional(args),
  argsByLaunch: z.optional(z.array(args)),
  steps: z.optional(z.array(step)),
  stepsByLaunch: z.optional(z.array(z.array(step))),
  between: z.optional(z.array(z.array(step))),
  expect: z.optional(z.array(z.strictObject(expected))),
});

const ranks = z.int().check(z.gte(1), z.lte(4096));
const world = z.union([
  z.strictObject({
    ranks,
    memory: z.array(
      z.strictObject({
        name,
        type: z.optional(z.enum(elementNames)),
        count: positive,
        contents: z.optional(z.union([contents, z.array(z.nullable(contents))])),
      }),
    ),
    programs: z.array(rank),
    kernels: z.optional(z.record(text, z.strictObject({ text: z.optional(byRank), entry: z.optional(byRank) }))),
  }),
  z.strictObject({ ranks, why: text }),
]);

/** The form of a program. `readProgram` checks that its parts fit each other. */
export const programSchema: z.ZodMiniType<ProgramJson> = z.strictObject({
  format: z.literal(PROGRAM_FORMAT),
  version: z.literal(PROGRAM_VERSION),
  local: z.optional(z.boolean()),
  launches: z.optional(positive),
  streams: z.optional(positive),
  devComm: z.optional(z.record(text, z.unknown())),
  texts: z.record(
    name,
    z.union([z.strictObject({ ptx: text, name: z.optional(name) }), z.strictObject({ file: name })]),
  ),
  sources: z.optional(z.record(text, text)),
  kernel: z.optional(kernel),
  kernels: z.optional(z.record(name, kernel)),
  worlds: z.array(world).check(z.minLength(1)),
});
