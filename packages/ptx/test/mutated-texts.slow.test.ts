import './mutated-texts.test.ts';
