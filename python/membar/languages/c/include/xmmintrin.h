/* membar knows `_mm_pause`. */
