import './literals.test.ts';
