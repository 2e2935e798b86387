import './scalar-expressions.test.ts';
