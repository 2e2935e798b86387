import './async-copies.test.ts';
