export { JsonValue } from './figures/json-value.ts';
export { finish, phase, report } from './gpu/phases.ts';
export { option } from './option.ts';
export { tracedTime } from './predict/traced-world.ts';
export { provenance } from './provenance.ts';
