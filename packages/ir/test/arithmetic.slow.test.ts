import './arithmetic.test.ts';
