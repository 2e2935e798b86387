import './vector-expressions.test.ts';
