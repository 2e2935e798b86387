import './hybrid-cases.test.ts';
