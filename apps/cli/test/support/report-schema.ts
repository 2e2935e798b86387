import schema from '@nccl-ts/findings/schema/check-report.v1.json' with { type: 'json' };
import { Ajv } from 'ajv';

const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);

/** The places at which a report breaks the schema of its version. */
export function schemaProblems(report: unknown): readonly unknown[] {
  return validate(report) ? [] : (validate.errors ?? []);
}
