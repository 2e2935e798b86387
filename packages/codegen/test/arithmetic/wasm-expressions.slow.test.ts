import './wasm-expressions.test.ts';
