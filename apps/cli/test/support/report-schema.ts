import schema from '@nccl-ts/findings/schema/check-report.v1.json' with { type: 'json' };
import { Ajv } from 'ajv';

const validate = new Ajv({ allErrors: true, allowUnionTypes: true }).compile(schema);

/** Where a report for programs does not keep to the schema of its version. */
export function schemaProblems(report: unknown): readonly unknown[] {
  return validate(report) ? [] : (validate.errors ?? []);
}
