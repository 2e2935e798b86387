import './mutate-subject.test.ts';
