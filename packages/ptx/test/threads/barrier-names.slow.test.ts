import './barrier-names.test.ts';
