/* removed when the first file lands */ typedef int placeholder_collect;
