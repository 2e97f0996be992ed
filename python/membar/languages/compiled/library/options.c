/* The words that a program is run with, taken apart. */
#include "membar.h"

char *optarg;
int optind = 1, opterr = 1, optopt;
static int inside; /* where in a word the next letter stands */

static int is_option(const char *word) { return word[0] == '-' && word[1] != 0; }

/* Words that are no options come last in GNU's library, before the others in POSIX's. */
static void cut_mixed(int count, char *const words[])
{
    for (int i = optind; i < count; i++)
        if (is_option(words[i]))
            __membar_cut("options behind other words of the program");
}

static int end_word(int result)
{
    optind++;
    inside = 0;
    return result;
}

/// getopt: Options of one letter. Executions in which an option follows a word that is none are truncated.
int getopt(int count, char *const words[], const char *letters)
{
    optarg = NULL;
    if (optind == 0)
        end_word(0);
    if (inside == 0) {
        if (optind >= count)
            return -1;
        if (!is_option(words[optind])) {
            cut_mixed(count, words);
            return -1;
        }
        if (words[optind][1] == '-' && words[optind][2] == 0)
            return end_word(-1);
        inside = 1;
    }
    char *word = words[optind];
    int letter = word[inside++], quiet = letters[0] == ':', at = 0;
    while (letters[at] != 0 && (letters[at] != letter || letter == ':'))
        at++;
    optopt = letter;
    if (letters[at] == 0)
        return word[inside] == 0 ? end_word('?') : '?';
    if (letters[at + 1] != ':')
        return word[inside] == 0 ? end_word(letter) : letter;
    if (word[inside] != 0) {
        optarg = word + inside;
        return end_word(letter);
    }
    if (letters[at + 2] == ':')
        return end_word(letter);
    end_word(0);
    if (optind >= count)
        return quiet ? ':' : '?';
    optarg = words[optind];
    return end_word(letter);
}
