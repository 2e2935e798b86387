import './tensor-copies.test.ts';
