import './native.test.ts';
