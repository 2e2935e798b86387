import './unscoped-atomics.test.ts';
